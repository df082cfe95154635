import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Decoders of some formats only.
@Suite struct DecodersByFormatTests {
    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    private static let gif = Data("GIF89a".utf8)

    private func formats(_ wanted: Set<ImageFormat>, _ head: Data) -> [ImageFormat] {
        ImageDecoders.decoders(for: wanted).compactMap { $0.recognizes(head) }
    }

    @Test func `Only the selected formats are recognized`() {
        #expect(formats([.jpeg, .gif], Self.gif) == [.gif])
        #expect(formats([.jpeg, .webp], Self.gif) == [])
        #expect(ImageDecoders.decoders(for: []).isEmpty)
    }

    @Test func `APNG selects the decoder of PNG, once`() {
        #expect(ImageDecoders.decoders(for: [.apng]).count == 1)
        #expect(ImageDecoders.decoders(for: [.apng, .png]).count == 1)
        #expect(!formats([.apng], Self.png).isEmpty)
    }

    @Test func `Every format can be selected`() {
        let all: Set<ImageFormat> = [
            .jpeg, .png, .webp, .gif, .avif, .heic, .jxl, .tiff, .svg, .bmp, .ico, .qoi,
        ]
        #expect(ImageDecoders.decoders(for: all).count == ImageDecoders.standard.count)
    }
}
