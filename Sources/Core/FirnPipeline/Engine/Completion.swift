import FirnData
import FirnImage
import FirnSync
import FoundationEssentials

/// Ends jobs and their tasks: returns jobs to the table, restarts tasks that have another route to their image, and
/// passes results to listeners.
final class Completion: Sendable {
    let shell: TableShell
    let environment: StageEnvironment
    private let admission: Admission
    private let control: TaskControl
    private let writer: CacheWriter
    private let emitter: EventEmitter

    init(
        _ shell: TableShell, _ environment: StageEnvironment, _ admission: Admission, _ control: TaskControl,
        _ writer: CacheWriter, _ emitter: EventEmitter
    ) {
        self.shell = shell
        self.environment = environment
        self.admission = admission
        self.control = control
        self.writer = writer
        self.emitter = emitter
    }

    // MARK: Starts

    /// Starts a new task.
    func start(_ task: ImageTask) {
        if let job = admission.start(task) { end(task, with: job) }
    }

    /// Starts a task that callers already have. They may have changed or cancelled it, or may do so concurrently.
    func startKnown(_ task: ImageTask) {
        guard task.state == .running else { return }
        start(task)
        control.catchUp(with: task)
    }

    /// Starts a task with a processed image on disk.
    func read(_ image: ProcessedImage, for task: ImageTask) {
        if let job = admission.read(image, for: task) { end(task, with: job) }
        control.catchUp(with: task)
    }

    /// Sends a task on with a region that came from tiles, to which its processors are to be applied.
    func process(_ container: ImageContainer, for task: ImageTask) {
        if let job = admission.process(container, for: task) { end(task, with: job) }
        control.catchUp(with: task)
    }

    private func end(_ task: ImageTask, with job: EngineJob) {
        var ended = [task]
        end(&ended, with: job)
    }

    // MARK: Ends

    /// Ends a stage that a worker has run, and returns the worker's next turn.
    func finish(
        _ started: StartedJob, _ outcome: StageOutcome, of worker: Int, _ ended: inout [ImageTask]
    ) -> WorkerTurn {
        let now = MonotonicClock.now()
        emitter.jobEnds(started, outcome, at: now)
        writer.dropOldVersion(started.job, outcome)
        writer.cacheImage(started, outcome)
        let (turn, followUp) = shell.finish(started, outcome, of: worker, at: now, ended: &ended) {
            writer.addStores(of: started.job, outcome, $1, $2, &$0)
        }
        end(&ended, with: started.job)
        shell.perform(followUp)
        return turn
    }

    /// Ends a stage outside of the workers: a transfer or a closure.
    func finish(_ started: StartedJob, _ outcome: StageOutcome) {
        let now = MonotonicClock.now()
        emitter.jobEnds(started, outcome, at: now)
        writer.dropOldVersion(started.job, outcome)
        writer.cacheImage(started, outcome)
        var ended: [ImageTask] = []
        let (next, followUp) = shell.finish(started, outcome, at: now, ended: &ended) {
            writer.addStores(of: started.job, outcome, $1, $2, &$0)
        }
        end(&ended, with: started.job)
        shell.perform(followUp)
        if let next { shell.begin(next) }
    }

    /// Ends the tasks of a job, except those that are restarted.
    private func end(_ ended: inout [ImageTask], with job: EngineJob) {
        if ended.isEmpty { return }
        let outcome = job.outcome
        restartChanged(&ended, job)
        let hasProduct = if case .done(_?)? = outcome { true } else { false }
        if !hasProduct {
            // Order: removed first, so that restarted tasks do not find the entry.
            let isDamaged = ImageRenderer(environment: environment).removeDamagedEntry(of: job)
            retryFromOriginal(&ended)
            if isDamaged { reload(&ended) }
        }
        switch outcome {
        case .done(let product?)?:
            if case .bytes(let bytes) = product { writer.store(bytes, of: job) }
            if let origin = product.origin { return notify(&ended, .image(origin)) }
        case .failed(let error)?:
            if let progress = job.progress, progress.completed > 0 { for task in ended { task.see(progress) } }
            return notify(&ended, .failure(error))
        default: break
        }
        for task in ended { task.end(.failure(.cancelled(source: task.request.description))) }
        ended.removeAll(keepingCapacity: true)
    }

    /// Ends tasks and notifies their listeners.
    ///
    /// Order: all tasks end before the first listener is notified. A listener that waits for several tasks wakes once
    /// and finds all of them ended.
    private func notify(_ ended: inout [ImageTask], _ end: TaskRecord.End) {
        if ended.count == 1, let task = ended.popLast() {
            if let listeners = task.settle(end), !listeners.isEmpty { task.notify(listeners, end) }
            return
        }
        var settled: [(TaskRecord.Listeners, ImageTask)] = []
        for task in ended {
            if let listeners = task.settle(end), !listeners.isEmpty { settled.append((listeners, task)) }
        }
        for (listeners, task) in settled { task.notify(listeners, end) }
        ended.removeAll(keepingCapacity: true)
    }
}

extension JobProduct {
    /// The result of tasks that end with the product; `nil` if there is no memory for a stand-in image.
    fileprivate var origin: ImageResponse.Origin? {
        switch self {
        case .image(let origin, _): origin
        case .bytes(let bytes): standIn(bytes: { bytes.joined() })
        case .proof(let bytes): standIn(proof: bytes)
        }
    }

    private func standIn(
        bytes: (@Sendable () -> Data)? = nil, proof: (any StoreProof)? = nil
    ) -> ImageResponse.Origin? {
        ImageResponse.standIn.map {
            ImageResponse.Origin(
                $0, source.sharedResponse, source.cacheType, isStale: source.isStale, progress: source.progress,
                bytes: bytes, proof: proof)
        }
    }
}
