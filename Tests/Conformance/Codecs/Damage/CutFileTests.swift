import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Cuts files at every tenth: what a decoder says of its frames is true.
@Suite struct CutFileTests {
    private static func decoder(_ isolation: DecoderIsolation) throws -> ImageDecoder {
        ImageDecoder(decoders: try ImageDecoders.standard(isolation: isolation))
    }

    private static func pixels(_ decoder: ImageDecoder, _ frame: Int) throws -> [UInt8] {
        try decoder.frame(at: frame).image().packed
    }

    @Test(arguments: GeneratedImages.all + ModeImages.all, [DecoderIsolation.none, .built(.all)])
    func `a frame is complete if all its bytes are there`(image: GeneratedImage, isolation: DecoderIsolation) throws {
        let whole = try CutFileTests.decoder(isolation)
        try whole.append(image.data)
        whole.finish()
        #expect(whole.status == .complete && whole.frames.allSatisfy { $0.isComplete })
        for tenth in 1..<10 {
            let cut = try CutFileTests.decoder(isolation)
            try cut.append(image.data.prefix(image.data.count * tenth / 10))
            cut.finish()
            #expect(cut.status == (cut.error == nil ? .complete : .error), "\(tenth) tenths")
            #expect(cut.status == .error || cut.frameCount > 0, "\(tenth) tenths")
            for frame in 0..<cut.frameCount {
                let found = try? CutFileTests.pixels(cut, frame)
                // The missing part may be a checksum behind the pixels, so an incomplete frame may decode.
                #expect(found != nil || !cut.isFrameComplete(at: frame), "\(tenth) tenths, frame \(frame)")
                if let found, cut.isFrameComplete(at: frame) {
                    #expect(try found == CutFileTests.pixels(whole, frame), "\(tenth) tenths, frame \(frame)")
                }
            }
        }
    }

    @Test(arguments: GeneratedImages.all)
    func `a frame of a file that still arrives is not complete too early`(image: GeneratedImage) throws {
        let decoder = try CutFileTests.decoder(.none)
        for start in stride(from: 0, to: image.data.count, by: 29) {
            try decoder.append(image.data.dropFirst(start).prefix(29))
            for frame in 0..<decoder.frameCount where decoder.isFrameComplete(at: frame) {
                #expect((try? CutFileTests.pixels(decoder, frame)) != nil, "\(start + 29) bytes, frame \(frame)")
            }
        }
    }
}
