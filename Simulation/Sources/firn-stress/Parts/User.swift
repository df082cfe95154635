import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FoundationEssentials
import Synchronization

/// A simulated user who performs random operations of the public API, on any thread.
struct User {
    let stage: Stage
    /// Tasks that any user may change.
    let shared: Locked<[ImageTask]>
    var random: SeededGenerator
    let addresses: Int

    init(stage: Stage, shared: Locked<[ImageTask]>, seed: UInt64, addresses: Int) {
        self.stage = stage
        self.shared = shared
        self.addresses = addresses
        random = SeededGenerator(seed: seed)
    }

    mutating func act() {
        switch random.below(26) {
        case 0..<5: share(load())
        case 5..<7: watch(stage.pipeline.imageTask(with: stage.request(&random, of: addresses)))
        case 7..<9: waitForImage()
        case 9..<12: somebody()?.cancel()
        case 12..<15: somebody()?.priority = ImageRequest.Priority(rawValue: random.below(5)) ?? .normal
        case 15:
            if let task = somebody() {
                _ = task.currentProgress
                _ = task.state
            }
        case 16: _ = stage.pipeline.cachedImage(for: stage.request(&random, of: addresses))
        case 17: _ = stage.pipeline.statistics
        case 18: if random.below(50) == 0 { stage.cache.removeAll() }
        case 19: pause()
        case 20: somebody()?.isPaused = false
        case 21: change()
        case 22..<24: prefetch()
        default: if let task = somebody() { watch(task) }
        }
    }

    /// Starts a task with a completion, which must be called once.
    private mutating func load() -> ImageTask {
        let counts = stage.counts
        let request = stage.request(&random, of: addresses)
        counts.started.add(1, ordering: .relaxed)
        let calls = Calls(counts)
        return stage.pipeline.loadImage(
            with: request, on: .immediate,
            progress: { _ in if calls.count.load(ordering: .relaxed) > 0 { counts.fault("progress after the end") } },
            completion: { result in
                if calls.count.add(1, ordering: .relaxed).oldValue > 0 { counts.fault("a second completion") }
                if case .success(let response) = result { User.check(response, counts) }
                counts.ended.add(1, ordering: .relaxed)
            })
    }

    private final class Calls: Sendable {
        let count = Atomic<Int>(0)
        let counts: Counts
        init(_ counts: Counts) {
            self.counts = counts
            counts.listeners.add(1, ordering: .relaxed)
        }
        deinit { counts.listeners.subtract(1, ordering: .relaxed) }
    }

    private static func check(_ response: ImageResponse, _ counts: Counts) {
        let request = response.request
        guard let body = Body(url: request.description) ?? Body(url: "\(request)") else { return }
        let width = response.image.size.width
        if request.processors.isEmpty, request.targetSize == nil, width != body.width {
            counts.fault("an image of \(width) where \(body.width) was asked for")
        }
        if body.kind != .ok { counts.fault("an image of what has none") }
    }

    /// Reads all events; the end must be the last one, and there must be only one.
    private func watch(_ task: ImageTask) {
        let counts = stage.counts
        counts.started.add(1, ordering: .relaxed)
        Task.detached {
            var isOver = false
            var completed = -1
            for await event in task.events {
                if isOver { counts.fault("an event after the end") }
                switch event {
                case .progress(let progress):
                    if progress.completed < completed { counts.fault("progress that goes back") }
                    completed = progress.completed
                case .preview: break
                case .finished: isOver = true
                }
            }
            if !isOver { counts.fault("events without an end") }
            counts.ended.add(1, ordering: .relaxed)
        }
    }

    /// Awaits an image in a Swift task, which may be cancelled.
    private mutating func waitForImage() {
        let (counts, pipeline) = (stage.counts, stage.pipeline)
        let request = stage.request(&random, of: addresses)
        counts.started.add(1, ordering: .relaxed)
        let task = Task.detached {
            _ = try? await pipeline.image(for: request)
            counts.ended.add(1, ordering: .relaxed)
        }
        if random.below(2) == 0 { task.cancel() }
    }

    private mutating func pause() {
        guard let task = somebody() else { return }
        stage.paused.withLock { $0.append(task) }
        task.isPaused = true
    }

    /// Changes a limit of the pipeline while it runs.
    private mutating func change() {
        switch random.below(4) {
        case 0: stage.pipeline.scheduling.isSuspended.toggle()
        case 1: stage.pipeline.scheduling.transferLimit = 1 + random.below(6)
        case 2: stage.pipeline.scheduling.startsNewestFirst = random.below(2) == 0
        default: stage.pipeline.scheduling.decodingMemoryLimit = (4 + random.below(16)) << 20
        }
    }

    private mutating func prefetch() {
        let prefetcher = stage.prefetcher
        let requests = (0..<random.below(12)).map { _ in stage.request(&random, of: addresses) }
        switch random.below(8) {
        case 0..<4: prefetcher.startPrefetching(with: requests)
        case 4: prefetcher.stopPrefetching(with: requests)
        case 5: prefetcher.isPaused.toggle()
        case 6: prefetcher.priority = random.below(2) == 0 ? .veryLow : .normal
        default: prefetcher.stopPrefetching()
        }
    }

    private mutating func share(_ task: ImageTask) {
        let bound = 256
        let random = random.below(bound)
        shared.withLock { tasks in
            if tasks.count < bound { tasks.append(task) } else { tasks[random] = task }
        }
    }

    private mutating func somebody() -> ImageTask? {
        let number = random.below(256)
        return shared.withLock { $0.isEmpty ? nil : $0[number % $0.count] }
    }
}
