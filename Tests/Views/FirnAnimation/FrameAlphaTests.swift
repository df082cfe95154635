import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests `ImageDecoder.frameHasAlpha(at:)` for the frames of animations.
@Suite struct `Transparency of frames` {
    private func decoder(_ data: Data) throws -> ImageDecoder {
        let decoder = ImageDecoder()
        try decoder.setData(data, allDataReceived: true)
        return decoder
    }

    private func flags(_ decoder: ImageDecoder) -> [Bool] {
        (0..<decoder.frameCount).map { decoder.frameHasAlpha(at: $0) }
    }

    /// Returns whether a composited frame has a pixel that is not opaque.
    private func isTransparent(_ index: Int, _ decoder: ImageDecoder) throws -> Bool {
        let image = try decoder.frame(at: index).image()
        return image.withUnsafeBytes { bytes in
            (0..<image.size.height).contains { y in
                (0..<image.size.width).contains { bytes[y * image.bytesPerRow + $0 * 4 + 3] < 255 }
            }
        }
    }

    @Test(arguments: `Bytes of animations`.animations)
    func `A frame with a transparent pixel is reported to have alpha, in every format`(data: Data) throws {
        let decoder = try decoder(data)
        for index in 0..<decoder.frameCount where try isTransparent(index, decoder) {
            #expect(decoder.frameHasAlpha(at: index), "frame \(index)")
        }
    }

    @Test func `Alpha is reported for the composed frame`() throws {
        let cover = HandmadeGIF.Frame(width: 2, height: 1, indices: [0, 1], delay: 5, disposal: 1)
        let hole = HandmadeGIF.Frame(width: 2, height: 1, indices: [3, 1], transparent: 3, delay: 5, disposal: 2)
        let half = HandmadeGIF.Frame(width: 1, height: 1, indices: [2], delay: 5, disposal: 1)
        let gif = try decoder(HandmadeGIF(width: 2, height: 1, frames: [cover, hole, half, cover]).data)
        // The hole shows the opaque frame below. Its disposal clears the canvas, and the third frame covers half of it.
        #expect(flags(gif) == [false, false, true, false])
        #expect(try (0..<4).map { try isTransparent($0, gif) } == [false, false, true, false])
    }

    @Test func `An opaque animation has no frame with alpha`() throws {
        let frames = [UInt8(0), 1, 2].map {
            HandmadeGIF.Frame(width: 2, height: 2, indices: [$0, $0, $0, $0], delay: 5, disposal: 1)
        }
        #expect(flags(try decoder(HandmadeGIF(width: 2, height: 2, frames: frames).data)) == [false, false, false])
    }

    @Test func `A frame that is not known may have alpha`() throws {
        let decoder = try decoder(AnimationSamples.gif)
        #expect(decoder.frameHasAlpha(at: 4) && decoder.frameHasAlpha(at: -1))
        #expect(ImageDecoder().frameHasAlpha(at: 0))
    }
}
