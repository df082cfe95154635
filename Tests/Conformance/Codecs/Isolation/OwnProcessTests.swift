import CLibraryCalls
import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests that with all formats isolated no library reads a file in the program's own process.
@Suite struct OwnProcessTests {
    /// Returns what is called in this process during everything that a session can be asked for.
    private static func called(_ image: GeneratedImage, _ isolation: DecoderIsolation) throws -> String? {
        let decoders = try ImageDecoders.standard(isolation: isolation)
        let decoder = try #require(
            decoders.first { $0.recognizes(image.data.prefix(ImageFormat.sniffLength)) != nil })
        let before = library_calls()
        for pieces in [1, 7] {
            let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
            for start in stride(from: 0, to: image.data.count, by: image.data.count / pieces + 1) {
                try session.append(image.data.dropFirst(start).prefix(image.data.count / pieces + 1))
                _ = try session.preview(DecodingOptions())
            }
            session.finish()
            _ = try session.properties()
            for frame in 0..<min(3, try session.frames().count) {
                for level in [1, 2, 4, 8] {
                    var options = DecodingOptions()
                    options.frame = frame
                    options.subsamplingLevel = level
                    _ = session.workingBytes(for: options)
                    _ = try session.decode(options)
                    options.pixelFormat = .rgbaHalfPremultiplied
                    _ = try session.decode(options)
                }
            }
        }
        return library_calls() == before ? nil : String(cString: library_last_call())
    }

    /// In a process of its own: other tests call libraries, and long calls run on threads of their own.
    @Test func `with all formats isolated no library reads a file in this process`() async {
        await #expect(processExitsWith: .success) {
            for image in ModeImages.all {
                #expect(try OwnProcessTests.called(image, .built(.all)) == nil, "\(image.name)")
                // The count works: formats that a library decodes are seen.
                let isSwift =
                    [ImageFormat.gif, .bmp, .ico, .qoi].contains(image.format)
                    && !image.name.contains("profile")
                let isSeen = try OwnProcessTests.called(image, .none) != nil
                #expect(isSeen == !isSwift || image.format == .ico, "\(image.name)")
            }
        }
    }

    @Test func `the lists of what a program isolates agree`() {
        #expect(DecoderIsolation.all.formats == DecoderIsolation.automatic.loadedFormats)
    }
}
