import FirnImage
import FirnPipeline
import FirnTesting
import Testing

/// Tests the ceiling on the memory of one decode, for decoders that ignore their limits.
@Suite struct DecodingCeilingTests {
    @Test(arguments: [(1_000, false), (1_001, true)])
    func `a decode that alone would take more than the ceiling fails, and is not begun`(
        bytes: Int, isRefused: Bool
    ) async throws {
        let decoder = ScriptedDecoder(bytesPerDecode: bytes)
        var configuration = ImagePipeline.Configuration(dataLoader: ScriptedLoader(), decoders: [decoder])
        configuration.limits.maximumWorkingBytes = 1_000
        let pipeline = ImagePipeline(configuration: configuration)
        let image = ScriptedDecoder.image(PixelSize(width: 4, height: 4))
        do {
            _ = try await pipeline.image(for: ImageRequest(id: "a", data: image))
            #expect(!isRefused)
        } catch {
            #expect(isRefused && error.fault == .limit)
        }
        #expect(decoder.decodes.isEmpty == isRefused)
    }
}
