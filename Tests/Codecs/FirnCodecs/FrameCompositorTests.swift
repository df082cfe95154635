import CFirnCodecs
@testable import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct FrameCompositorTests {
    /// A reader that has read a whole file, and a compositor over it.
    private struct Rig {
        let compositor: FrameCompositor
        let chain: ByteChain
        let properties: ImageProperties

        init(_ reader: any FormatReader, _ data: Data, keptBytes: Int) throws {
            var chain = ByteChain()
            chain.append(data)
            chain.finish()
            try reader.scan(&chain)
            self.chain = chain
            properties = try #require(reader.properties)
            compositor = FrameCompositor(reader, limits: ImageLimits(), keptBytes: keptBytes)
        }

        func image(_ index: Int, _ format: PixelFormat = .rgba8Straight) throws -> Bitmap {
            var options = DecodingOptions()
            options.pixelFormat = format
            options.frame = index
            var frame = compositor.reader.frames[index]
            frame.size = properties.size
            let plan = try DecodePlan(options, properties, frame: frame)
            let decode = CompositedFrameDecode(compositor, plan)
            #expect(try decode.advance(chain))
            return try decode.finish()
        }
    }

    /// Returns a random GIF animation: some pixels transparent; some frames partly or wholly outside, or without
    /// pixels.
    private func gif(_ seed: UInt64, frames: Int = 8) -> (file: HandmadeGIF, reference: ReferenceAnimation) {
        var random = RepeatableNumbers(seed: seed)
        var gif = HandmadeGIF(width: 6, height: 5, frames: [])
        var reference = ReferenceAnimation(width: 6, height: 5, frames: [])
        for index in 0..<frames {
            let isFull = Int.random(in: 0..<4, using: &random) == 0
            let left = isFull || index == 0 ? 0 : Int.random(in: 0..<8, using: &random)
            let top = isFull || index == 0 ? 0 : Int.random(in: 0..<7, using: &random)
            let width = isFull ? 6 : Int.random(in: 0...6, using: &random)
            let height = isFull ? 5 : Int.random(in: 0...5, using: &random)
            let indices = (0..<width * height).map { _ in UInt8.random(in: 0..<4, using: &random) }
            let transparent: UInt8? = Bool.random(using: &random) ? 3 : nil
            let disposal = Int.random(in: 1...3, using: &random)
            gif.frames.append(
                .init(
                    left: left, top: top, width: width, height: height, indices: indices, transparent: transparent,
                    disposal: disposal))
            let pixels = indices.flatMap { number -> [UInt8] in
                if number == transparent { return [0, 0, 0, 0] }
                return gif.palette[Int(number) * 3..<Int(number) * 3 + 3] + [255]
            }
            reference.frames.append(
                .init(
                    left: left, top: top, width: width, height: height, pixels: pixels, disposal: disposal, blends: true
                ))
        }
        return (gif, reference)
    }

    /// Returns a random APNG animation, with every alpha and both ways of blending.
    private func apng(_ seed: UInt64) -> (file: HandmadeAPNG, reference: ReferenceAnimation) {
        var random = RepeatableNumbers(seed: seed)
        var png = HandmadeAPNG(width: 5, height: 4, frames: [])
        var reference = ReferenceAnimation(width: 5, height: 4, frames: [])
        for index in 0..<6 {
            let width = index == 0 ? 5 : Int.random(in: 1...5, using: &random)
            let height = index == 0 ? 4 : Int.random(in: 1...4, using: &random)
            let left = index == 0 ? 0 : Int.random(in: 0..<6, using: &random)
            let top = index == 0 ? 0 : Int.random(in: 0..<5, using: &random)
            let pixels = (0..<width * height * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
            let disposal = Int.random(in: 1...3, using: &random)
            let blends = Bool.random(using: &random)
            png.frames.append(
                .init(
                    left: left, top: top, width: width, height: height, pixels: pixels, disposal: disposal - 1,
                    blends: blends))
            reference.frames.append(
                .init(
                    left: left, top: top, width: width, height: height, pixels: pixels, disposal: disposal,
                    blends: blends))
        }
        return (png, reference)
    }

    @Test func `frames look as if drawn one over the other from the first on`() throws {
        for seed: UInt64 in 0..<40 {
            let (file, reference) = gif(seed)
            let rig = try Rig(GIFReader(limits: ImageLimits()), file.data, keptBytes: 0)
            // The first frame may be larger than the declared screen, and is not here.
            #expect(rig.properties.size == PixelSize(width: 6, height: 5))
            for index in file.frames.indices {
                let bytes = try packed(rig.image(index))
                #expect(bytes == reference.bytes(index, isStraight: true), "seed \(seed), frame \(index)")
            }
        }
    }

    @Test func `transparency is blended to the nearest value`() throws {
        for seed: UInt64 in 0..<20 {
            let (file, reference) = apng(seed)
            for format in [PixelFormat.rgba8Straight, .bgra8Premultiplied] {
                let rig = try Rig(PNGReader(limits: ImageLimits()), file.data, keptBytes: 0)
                for index in file.frames.indices {
                    var bytes = try packed(rig.image(index, format))
                    let isStraight = format == .rgba8Straight
                    if !isStraight {
                        for at in stride(from: 0, to: bytes.count, by: 4) { bytes.swapAt(at, at + 2) }
                    }
                    let expected = reference.bytes(index, isStraight: isStraight)
                    for at in bytes.indices {
                        // Every drawn frame may add a rounding error; straight colors are coarse where alpha is small.
                        let alpha = max(1, Int(expected[at - at % 4 + 3]))
                        let bound = isStraight && at % 4 < 3 ? 2 + 512 / alpha : 3
                        #expect(
                            abs(Int(bytes[at]) - Int(expected[at])) <= bound, "seed \(seed), frame \(index), byte \(at)"
                        )
                    }
                }
            }
        }
    }

    @Test(arguments: [0, 600, 32 << 20])
    func `frames in any order are those in order`(keptBytes: Int) throws {
        for seed: UInt64 in 100..<112 {
            var random = RepeatableNumbers(seed: seed)
            let (file, _) = gif(seed, frames: 30)
            let inOrder = try Rig(GIFReader(limits: ImageLimits()), file.data, keptBytes: 0)
            let images = try file.frames.indices.map { try packed(inOrder.image($0)) }
            let rig = try Rig(GIFReader(limits: ImageLimits()), file.data, keptBytes: keptBytes)
            for _ in 0..<60 {
                let index = Int.random(in: file.frames.indices, using: &random)
                #expect(try packed(rig.image(index)) == images[index], "seed \(seed), frame \(index)")
                #expect(rig.compositor.kept.keyBytes <= keptBytes)
            }
        }
    }

    /// Returns frames that each change one pixel.
    private func changes(_ count: Int) -> HandmadeGIF {
        var gif = HandmadeGIF(width: 40, height: 30, frames: [])
        gif.frames.append(.init(width: 40, height: 30, indices: [UInt8](repeating: 1, count: 1200), disposal: 1))
        for index in 1..<count {
            gif.frames.append(
                .init(left: index % 40, top: index / 40, width: 1, height: 1, indices: [UInt8(index % 4)], disposal: 1))
        }
        return gif
    }

    @Test func `frames shown one after the other are decoded once each`() throws {
        let rig = try Rig(GIFReader(limits: ImageLimits()), changes(60).data, keptBytes: 0)
        for index in 0..<60 { _ = try rig.image(index) }
        #expect(rig.compositor.framesDecoded == 60)
        // After the wrap-around, the first frame is drawn on a blank canvas.
        for index in 0..<60 { _ = try rig.image(index) }
        #expect(rig.compositor.framesDecoded == 120)
    }

    @Test func `canvases kept for seeking stay within their bound and spread over the animation`() throws {
        let bound = 10 * 40 * 32 * 4
        let rig = try Rig(GIFReader(limits: ImageLimits()), changes(344).data, keptBytes: bound)
        for index in 0..<344 {
            _ = try rig.image(index)
            #expect(rig.compositor.kept.keyBytes <= bound)
        }
        let spacing = rig.compositor.kept.spacing
        #expect(spacing == 64)
        for index in [300, 17, 130, 343, 64, 200] {
            let before = rig.compositor.framesDecoded
            _ = try rig.image(index)
            #expect(rig.compositor.framesDecoded - before <= spacing, "frame \(index)")
        }
    }

    @Test func `only frames that are kept are decoded for later frames`() throws {
        var gif = changes(20)
        for index in 1..<19 { gif.frames[index].disposal = index % 2 + 2 }
        let rig = try Rig(GIFReader(limits: ImageLimits()), gif.data, keptBytes: 0)
        _ = try rig.image(19)
        #expect(rig.compositor.framesDecoded == 2)
    }

    @Test func `another layout does not see canvases of the first`() throws {
        let rig = try Rig(GIFReader(limits: ImageLimits()), changes(3).data, keptBytes: 1 << 20)
        _ = try rig.image(1)
        let bytes = try packed(rig.image(2, .bgra8Premultiplied))
        #expect(Array(bytes[8..<12]) == [255, 0, 0, 255])
        #expect(Array(bytes[12..<16]) == [0, 255, 0, 255])
    }

    @Test func `multiplied colors stay at most their alpha`() {
        for alpha in 0...255 {
            for below in stride(from: 0, through: 255, by: 5) {
                let above: [UInt8] = [UInt8(alpha), 0, UInt8(alpha / 2), UInt8(alpha)]
                var pixel: [UInt8] = [UInt8(below), UInt8(below / 2), 0, UInt8(below)]
                let expected = zip(above, pixel).map { a, b in
                    Double(a) + Double(b) * Double(255 - alpha) / 255
                }
                firn_composite_premultiplied(&pixel, 4, above, 4, 1, 1)
                for i in 0..<4 {
                    #expect(abs(Double(pixel[i]) - expected[i]) <= 0.5 + 1e-9, "alpha \(alpha), below \(below)")
                    #expect(pixel[i] <= pixel[3])
                }
            }
        }
    }
}
