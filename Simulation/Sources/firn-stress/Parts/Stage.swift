import FirnCache
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnSync
import FoundationEssentials
import Synchronization

/// A pipeline of the test's own parts, and requests for it.
final class Stage: Sendable {
    let counts = Counts()
    let loader: StressLoader
    let pipeline: ImagePipeline
    let cache = ImageCache()
    let directory: String
    private static let loaderThreads = 2

    init(directory: String) {
        self.directory = directory
        loader = StressLoader(threads: Stage.loaderThreads, counts: counts)
        var configuration = ImagePipeline.Configuration(
            dataLoader: loader, decoders: [StressDecoder(counts: counts)])
        configuration.imageCache = cache
        configuration.dataCache = DataCache(directory: directory + "/cache")
        configuration.computingLimit = 3
        configuration.decodingMemoryLimit = 12 << 20
        pipeline = ImagePipeline(configuration: configuration)
    }

    func close() {
        pipeline.invalidate()
        loader.close(threads: Stage.loaderThreads)
    }

    /// Some request, by chance; half of them are few that many want.
    func request(_ random: inout SeededGenerator, of count: Int) -> ImageRequest {
        let number = random.below(2) == 0 ? random.below(8) : random.below(count)
        // Everything of an address follows from its number.
        let kind: Body.Kind =
            number % 16 == 5
            ? .breaks : number % 16 == 9 ? .missing : number % 64 == 3 ? .noise : number % 32 == 7 ? .damaged : .ok
        let length = number % 8 == 0 ? 400_000 : 200 + (number * 7919) % 30_000
        let url = Body.url(number, width: 40 + number % 60, height: 30, length: length, kind: kind)
        var request = ImageRequest(url: url)
        switch random.below(5) {
        case 0: request.processors = [ImageProcessors.Resize(width: 20)]
        case 1: request.targetSize = TargetSize(PixelSize(width: 16, height: 16))
        default: break
        }
        if random.below(3) == 0 { request.options = .disableCaches }
        request.priority = ImageRequest.Priority(rawValue: random.below(5)) ?? .normal
        return request
    }
}

extension SeededGenerator {
    mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() % UInt64(bound)) }
}
