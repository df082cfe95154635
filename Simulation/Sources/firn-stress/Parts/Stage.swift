import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnSync
import FoundationEssentials
import FirnSystem
import Synchronization

/// A pipeline of the test's own parts, and requests for it.
final class Stage: Sendable {
    let counts = Counts()
    let loader: StressLoader
    let pipeline: ImagePipeline
    let prefetcher: ImagePrefetcher
    let cache = ImageCache()
    /// Paused tasks, to be resumed at the end.
    let paused = Locked<[ImageTask]>([])
    let directory: String
    private static let loaderThreads = 2

    init(directory: String) {
        self.directory = directory
        loader = StressLoader(threads: Stage.loaderThreads, counts: counts)
        var configuration = ImagePipeline.Configuration(
            dataLoader: loader, decoders: [StressDecoder(counts: counts)])
        configuration.imageCache = cache
        configuration.dataCache = DataCache(directory: directory + "/cache")
        configuration.scheduling.computingLimit = 3
        configuration.scheduling.decodingMemoryLimit = 12 << 20
        // A short timeout, so that connections are closed and bodies are resumed with range requests.
        configuration.scheduling.pausedConnectionTimeout = .milliseconds(2)
        pipeline = ImagePipeline(configuration: configuration)
        prefetcher = ImagePrefetcher(pipeline: pipeline, maxConcurrentRequestCount: 4)
    }

    /// Waits while very many requests are running, for 5 ms at most.
    func keepPace() {
        for _ in 0..<50 {
            let outstanding = counts.started.load(ordering: .relaxed) - counts.ended.load(ordering: .relaxed)
            if outstanding < 100 { return }
            usleep(100)
        }
    }

    /// Resumes everything that is paused or suspended.
    func letGo() {
        pipeline.scheduling.isSuspended = false
        prefetcher.stopPrefetching()
        for task in paused.withLock({ $0 }) { task.isPaused = false }
        paused.withLock { $0 = [] }
    }

    func close() {
        pipeline.invalidate()
        loader.close(threads: Stage.loaderThreads)
    }

    /// Returns a random request; half of the requests go to a few popular images.
    func request(_ random: inout SeededGenerator, of count: Int) -> ImageRequest {
        let number = random.below(2) == 0 ? random.below(8) : random.below(count)
        // The number determines everything else of the address.
        let kind: Body.Kind =
            number % 16 == 5
            ? .breaks : number % 16 == 9 ? .missing : number % 64 == 3 ? .noise : number % 32 == 7 ? .damaged : .ok
        let length = number % 4 == 0 ? 400_000 : 200 + (number * 7919) % 30_000
        let url = Body.url(number, width: 40 + number % 60, height: 30, length: length, kind: kind)
        var request = ImageRequest(url: url)
        switch random.below(5) {
        case 0: request.processors = [.resize(width: 20)]
        case 1: request.targetSize = TargetSize(16)
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
