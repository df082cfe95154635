import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnCodecs

@Suite("Hostile images among good ones", .serialized)
struct HostileBatchTests {
    @Test func `every good image of a batch arrives, and every hostile one ends`() async throws {
        let program = try NamedDecoder.crashing()
        defer { program.remove() }
        var configuration = ImagePipeline.Configuration(
            dataLoader: ScriptedLoader(), decoders: try ImageDecoders.standard(isolation: program.isolation))
        configuration.limits.maximumDecodingTime = .seconds(2)
        configuration.limits.maximumWorkingBytes = 256 << 20
        let pipeline = ImagePipeline(configuration: configuration)
        let hostile = [IsolatedImages.crashing, IsolatedImages.endless, IsolatedImages.hungry]
        let start = ContinuousClock.now
        let (good, ended) = await withTaskGroup(of: (isGood: Bool, isRed: Bool).self) { group in
            for number in 0..<30 {
                let isGood = number % 5 != 2
                // A comment makes each file another one, so that none is refused because an equal one crashed.
                let data =
                    (isGood ? IsolatedImages.red : hostile[number / 5 % hostile.count]) + Data("<!--\(number)-->".utf8)
                group.addTask {
                    let image = try? await pipeline.image(for: ImageRequest(id: "\(number)", data: data))
                    return (isGood, image.map { IsolatedImages.firstPixel($0) == [0, 0, 255, 255] } ?? false)
                }
            }
            return await group.reduce(into: (0, 0)) { counts, end in
                if end.isGood { counts.0 += end.isRed ? 1 : 0 } else { counts.1 += 1 }
            }
        }
        #expect(good == 24)
        #expect(ended == 6)
        #expect(ContinuousClock.now - start < .seconds(120))
    }
}
