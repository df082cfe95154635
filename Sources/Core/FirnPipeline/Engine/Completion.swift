import FirnData
import FirnImage
import FirnSync
import Synchronization

/// Ends jobs and their tasks: returns jobs to the table, restarts tasks that have another route to their image, and
/// passes results to listeners.
final class Completion: Sendable {
    let shell: TableShell
    let environment: StageEnvironment
    private let admission: Admission
    private let writer: CacheWriter

    init(_ shell: TableShell, _ environment: StageEnvironment, _ admission: Admission, _ writer: CacheWriter) {
        self.shell = shell
        self.environment = environment
        self.admission = admission
        self.writer = writer
    }

    // MARK: Starts

    /// Starts a task. Does not block and does no work of a stage.
    func start(_ task: ImageTask) {
        if let job = admission.start(task) { end(task, with: job) }
    }

    /// Starts a task that callers already have. They may have changed or cancelled it, or may do so concurrently.
    func startKnown(_ task: ImageTask) {
        guard task.state == .running else { return }
        start(task)
        shell.catchUp(with: task)
    }

    /// Starts a task with a processed image on disk.
    func read(_ image: ProcessedImage, for task: ImageTask) {
        if let job = admission.read(image, for: task) { end(task, with: job) }
        shell.catchUp(with: task)
    }

    /// Sends a task on with a region that came from tiles, to which its processors are to be applied.
    func process(_ container: ImageContainer, for task: ImageTask) {
        if let job = admission.process(container, for: task) { end(task, with: job) }
        shell.catchUp(with: task)
    }

    private func end(_ task: ImageTask, with job: EngineJob) {
        var ended = [task]
        end(&ended, with: job)
    }

    // MARK: Ends

    /// Ends a stage that a worker has run, and returns the worker's next turn. Without a worker, the turn has the job
    /// that this thread begins.
    func finish(
        _ started: StartedJob, _ outcome: StageOutcome, of worker: Int?, _ ended: inout [ImageTask]
    ) -> WorkerTurn {
        let now = MonotonicClock.now()
        shell.emitter.jobEnds(started, outcome, at: now)
        writer.dropOldVersion(started.job, outcome)
        writer.cacheImage(started, outcome)
        let (turn, followUp) = shell.finish(started, outcome, of: worker, at: now, ended: &ended) {
            writer.addStores(of: started.job, outcome, $1, isUnwanted: $2, &$0)
        }
        end(&ended, with: started.job)
        shell.perform(followUp)
        return turn
    }

    /// Ends a stage outside of the workers: a transfer or a closure.
    func finish(_ started: StartedJob, _ outcome: StageOutcome) {
        var ended: [ImageTask] = []
        if let next = finish(started, outcome, of: nil, &ended).job { shell.begin(next) }
    }

    /// Ends the tasks of a job, except those that are restarted.
    private func end(_ ended: inout [ImageTask], with job: EngineJob) {
        if ended.isEmpty { return }
        let outcome = job.outcome
        restartChanged(&ended, job)
        restartUnselected(&ended, job)
        if job.product == nil {
            // Order: removed first, so that restarted tasks do not find the entry.
            let isDamaged = ImageRenderer(environment: environment).removeDamagedEntry(of: job)
            retryFromOriginal(&ended)
            if isDamaged { reload(&ended) }
        }
        switch outcome {
        case .done(let product?)?:
            if case .bytes(let bytes) = product { writer.store(bytes, of: job) }
            if let origin = product.origin { return notify(&ended, .success(origin)) }
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
            if let listeners = task.settle(end) { task.notify(listeners, end) }
            return
        }
        let settled = ended.compactMap { task in task.settle(end).map { (task, $0) } }
        for (task, listeners) in settled { task.notify(listeners, end) }
        ended.removeAll(keepingCapacity: true)
    }

    /// Restarts tasks whose file has changed since it was opened.
    ///
    /// A task may have joined a read that began before the change. With the restart, a request for a file returns the
    /// file as it was at the time of the request, or later. Each task restarts at most once, since it would never end
    /// for a file that is written continuously.
    private func restartChanged(_ ended: inout [ImageTask], _ job: EngineJob) {
        guard let path = job.request.identities.path, let version = job.sourceVersion else { return }
        // If the file was removed since, its image is the result.
        guard let now = environment.currentVersion(path), now != version else { return }
        restart(&ended) { !$0.isRenewed.exchange(true, ordering: .relaxed) }
    }

    /// Restarts tasks that have joined a load after its response, and need another response.
    private func restartUnselected(_ ended: inout [ImageTask], _ job: EngineJob) {
        guard let bytes = job.product?.source, bytes.cacheType == nil, let response = bytes.response,
            response.sentFields != nil
        else { return }
        restart(&ended) { isUnselected($0, job, response) }
    }

    /// Takes the tasks out of a load whose request would send other fields than that of the load, if the response
    /// depends on these fields: they get a load of their own.
    func separate(_ ticket: JobTicket, _ job: EngineJob, _ response: DataResponse) {
        for task in shell.tasks(of: ticket) where isUnselected(task, job, response) {
            shell.cancel(task)
            startKnown(task)
        }
    }

    /// Returns whether a task needs another response than that of the load that it has joined, and notes which. A task
    /// needs one once.
    private func isUnselected(_ task: ImageTask, _ job: EngineJob, _ response: DataResponse) -> Bool {
        guard task.request.storage !== job.request.storage, task.selection.load(ordering: .relaxed) == 0,
            let selection = environment.selection(of: task.request, by: response)
        else { return false }
        task.selection.store(selection, ordering: .relaxed)
        return true
    }

    /// Restarts tasks that found no usable processed image on disk, of a job without a product. They use the original
    /// or another processed image then.
    private func retryFromOriginal(_ ended: inout [ImageTask]) {
        restart(&ended) { task in
            let lookup = task.processedLookup.load(ordering: .relaxed)
            guard lookup == .onFinal || lookup == .onPart, task.state == .running else { return false }
            task.processedLookup.store(lookup == .onFinal ? .finalTried : .tried, ordering: .relaxed)
            return true
        }
    }

    /// Restarts tasks whose data-cache entry could not be decoded.
    ///
    /// Each task restarts at most once: if the bytes of the source cannot be decoded either, they end the task.
    private func reload(_ ended: inout [ImageTask]) {
        restart(&ended) { task in
            task.request.options.loads && task.state == .running
                && !task.isReloaded.exchange(true, ordering: .relaxed)
        }
    }

    /// Removes tasks from `ended` and starts them again. Does nothing if the engine is closed; the tasks end with the
    /// present result.
    private func restart(_ ended: inout [ImageTask], where condition: (ImageTask) -> Bool) {
        guard !shell.isClosed else { return }
        var again: [ImageTask] = []
        ended.removeAll { task in
            guard condition(task) else { return false }
            again.append(task)
            return true
        }
        for task in again { startKnown(task) }
    }
}

extension JobProduct {
    /// The result of tasks that end with the product; `nil` if there is no memory for a stand-in image.
    fileprivate var origin: ImageResponse.Origin? {
        switch self {
        case .image(let origin, _): origin
        case .bytes(let bytes): ImageResponse.standIn.map { bytes.origin($0, bytes: { bytes.joined() }) }
        case .proof(let bytes): ImageResponse.standIn.map { bytes.origin($0, proof: bytes) }
        }
    }
}

extension EngineJob {
    /// The version of the file that the job used.
    fileprivate var sourceVersion: SourceVersion? {
        if case .image(let origin, _)? = product { return origin.container.sourceVersion }
        // The file may have been damaged because it was being written.
        if error?.fault == .data, case .bytes(let bytes)? = input { return bytes.version }
        return nil
    }
}
