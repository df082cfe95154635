import Firn
import FirnSystem

/// A process that does one kind of work with a number of threads, and is pinned to as many cores.
enum CoresChild {
    /// The kinds of work that are measured.
    enum Work: String, CaseIterable {
        /// Memory hits of 64 images. Each thread has 64 requests of its own, as views have.
        case hits
        /// Memory hits of 64 images by the same requests, whose references all threads count as well.
        case sharedRequests
        /// The same, and each thread has images of its own in the cache: two threads count references of no object.
        case ownImages
        /// Memory hits of one image.
        case oneImage
        /// Misses whose loader and decoder cost nothing, 5 000 requested at once by each thread.
        case misses
        /// Misses whose image is there at once, each awaited before the next.
        case missOneAtATime
        /// Tasks that do nothing, each awaited before the next: two threads gain as much as Swift's runtime permits.
        case tasks
        /// Thumbnails of photographs, all requested at once.
        case thumbnails
    }

    /// Prints the wall time and the CPU time of an operation, in microseconds.
    static func run(_ name: String, threads: Int) async throws {
        guard let work = Work(rawValue: name) else { return }
        switch work {
        case .hits: try await hits(64, threads)
        case .sharedRequests: try await hits(64, threads, areShared: true)
        case .ownImages: try await hits(64, threads, haveOwn: true)
        case .oneImage: try await hits(1, threads)
        case .misses: try await misses(threads)
        case .missOneAtATime: try await turns(threads)
        case .tasks: try await measure(300_000, threads) { _ in for _ in 0..<300_000 { await Task {}.value } }
        case .thumbnails: try await thumbnails(threads)
        }
    }

    /// Runs `body` in as many tasks as there are threads, and prints the costs of an operation, of which each task does
    /// `count`.
    private static func measure(
        _ count: Int, _ threads: Int, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        // In a process that `Scripts/count-operations` started.
        typealias Mark = @convention(c) (Int) -> Void
        let mark = dlsym(nil, "firn_counters_mark").map { unsafeBitCast($0, to: Mark.self) }
        mark?(0)
        let (wall, cpu) = (Stopwatch.wallNow, Stopwatch.cpuNow)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<threads { group.addTask { try await body(thread) } }
            try await group.waitForAll()
        }
        let all = Double(count * threads)
        let costs = (wall: (Stopwatch.wallNow - wall) * 1e6 / all, cpu: (Stopwatch.cpuNow - cpu) / all)
        mark?(count * threads)
        print(costs.wall, costs.cpu)
    }

    private static func hits(
        _ images: Int, _ threads: Int, areShared: Bool = false, haveOwn: Bool = false
    ) async throws {
        let pipeline = ImagePipeline { $0.dataCache = nil }
        let requests = (0..<threads).map { thread in
            (0..<64).map { number in
                let id = "photographs/\(haveOwn ? thread : 0)/\(number % images).jpg"
                return ImageRequest(id: id, image: { ImageContainer(image: try RequestWorld.image()) })
            }
        }
        for request in requests.joined() { _ = try await pipeline.image(for: request) }
        let count = 1_000_000
        try await measure(count, threads) { thread in
            let own = requests[areShared ? 0 : thread]
            for at in 0..<count { _ = try await pipeline.image(for: own[(at &* 7 &+ thread) % own.count]) }
        }
    }

    private static func misses(_ threads: Int) async throws {
        let pipeline = try RequestWorld.pipeline(computing: threads)
        let (count, rounds) = (5000, 4)
        let requests = (0..<threads).map { thread in
            (0..<count * rounds).map { ImageRequest(url: "https://example.org/\(thread)/\($0).jpg") }
        }
        try await measure(count * rounds, threads) { thread in
            for round in 0..<rounds {
                let tasks = requests[thread][(round * count)..<((round + 1) * count)]
                    .map { pipeline.imageTask(with: $0) }
                for task in tasks { _ = try await task.response }
            }
        }
    }

    private static func turns(_ threads: Int) async throws {
        let pipeline = ImagePipeline {
            $0.dataCache = nil
            $0.imageCache = nil
            $0.scheduling.computingLimit = threads
        }
        let container = ImageContainer(image: try RequestWorld.image())
        let count = 20_000
        try await measure(count, threads) { thread in
            for number in 0..<count {
                _ = try await pipeline.image(for: ImageRequest(id: "\(thread) \(number)", image: { container }))
            }
        }
    }

    private static func thumbnails(_ threads: Int) async throws {
        var paths: [String] = []
        while let line = readLine() { paths.append(line) }
        let pipeline = ImagePipeline {
            $0.dataCache = nil
            $0.imageCache = nil
            $0.scheduling.computingLimit = threads
        }
        // The sizes differ, so that no work is shared.
        let requests = (0..<4).flatMap { round in
            paths.map { ImageRequest(path: $0, targetSize: TargetSize(256 + round)) }
        }
        // The requests of all threads are made at once: the pipeline decides which thread works.
        let (wall, cpu) = (Stopwatch.wallNow, Stopwatch.cpuNow)
        let tasks = requests.map { pipeline.imageTask(with: $0) }
        for task in tasks { _ = try await task.response }
        let all = Double(requests.count)
        print((Stopwatch.wallNow - wall) * 1e6 / all, (Stopwatch.cpuNow - cpu) / all)
    }
}
