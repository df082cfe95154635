import FirnData
import FirnImage
import FirnSync
import Synchronization

// What those are told who observe the pipeline. Nothing is done here where nobody does; no lock is held where somebody
// is told.
extension JobRunner {
    @inline(__always)
    func tell(_ kind: @autoclosure () -> PipelineEvent.Kind, at time: Moment? = nil) {
        guard let observers = environment.observers else { return }
        observers.tell(kind(), at: time ?? JobRunner.now())
    }

    /// Whether anybody wants to know.
    var isObserved: Bool { @inline(__always) get { environment.observers != nil } }

    /// The number of the next task; 0 where nobody asks.
    func taskNumber() -> PipelineEvent.Number {
        isObserved ? lastTask.wrappingAdd(1, ordering: .relaxed).newValue : 0
    }

    /// A job is about to be run.
    func observeStart(_ job: StartedJob, on worker: Int) {
        guard isObserved else { return }
        if job.isResumption { return tell(.transferResumed(job.ticket.generation)) }
        let tasks = state.withLock { $0.table.audience(of: job.ticket) }
        let work = job.work
        tell(
            .jobStarted(
                PipelineEvent.JobStart(
                    job: job.ticket.generation, parent: work.parent == 0 ? nil : work.parent,
                    stage: PipelineEvent.Stage(job.stage), worker: job.stage == .transfer ? nil : worker,
                    request: work.request, priority: ImageRequest.Priority(rawValue: job.level) ?? .veryLow,
                    waited: work.queuedAt == 0 ? .zero : .nanoseconds(max(0, work.startedAt - work.queuedAt)),
                    tasks: tasks.map(\.number))), at: work.startedAt)
    }

    /// A job has been run; it may be over, or go on by itself.
    ///
    /// Order: before it is handed back, so that whatever follows from it is told later.
    func observeEnd(_ job: StartedJob, _ outcome: StageOutcome) {
        guard isObserved, let told = PipelineEvent.Outcome(outcome, job.work.error) else { return }
        let work = job.work
        let now = JobRunner.now()
        var bytes = 0
        var wasted = 0
        var pixels = 0
        var isFromDisk = false
        if case .image(let origin, _) = work.product {
            let size = origin.container.image.size
            pixels = size.width * size.height
        }
        if case .bytes(let fetched) = work.product {
            // What a source has only confirmed did not come over the line.
            bytes = job.stage == .transfer && fetched.isFromDisk ? 0 : fetched.count
            isFromDisk = fetched.isFromDisk
        }
        var metrics: TransferMetrics?
        if job.stage == .transfer {
            bytes += work.keptBytes
            wasted = work.wastedBytes
            metrics = work.transfer?.metrics
        }
        if job.stage == .store, case .finished = outcome, case .bytes(let stored) = work.input { bytes = stored.count }
        tell(
            .jobEnded(
                PipelineEvent.JobEnd(
                    job: job.ticket.generation, stage: PipelineEvent.Stage(job.stage), outcome: told,
                    request: work.request, duration: .nanoseconds(max(0, now - work.startedAt)), bytes: bytes,
                    wastedBytes: wasted,
                    pixels: pixels, isFromDisk: isFromDisk, metrics: metrics)), at: now)
    }

    /// Decodes have taken or given back memory.
    func observeMemory() {
        guard isObserved else { return }
        let bytes = state.withLock { $0.table.reservedBytes }
        let usage = memory?.usage
        tell(.memoryUsed(decoding: bytes, kept: (usage?.kept ?? 0) + (usage?.animations ?? 0)))
    }

    /// A task has ended.
    func observeEnd(_ task: ImageTask, _ end: TaskRecord.End) {
        guard isObserved, task.number != 0 else { return }
        switch end {
        case .failure(let error): tell(.taskEnded(task.number, .failure(error)))
        case .image(let origin):
            let size = origin.container.image.size
            let pixels = task.request.wantsBytes ? 0 : size.width * size.height
            tell(.taskEnded(task.number, .image(origin.cacheType, pixels: pixels)))
        }
    }

    func observe(_ order: Table.Order) {
        guard isObserved else { return }
        switch order {
        case .pause(let work, _): tell(.transferPaused(work.number))
        case .release(let work, _, _): tell(.transferReleased(work.number))
        case .stop, .prioritise: break
        }
    }
}

extension PipelineEvent.Stage {
    init(_ stage: JobStage) {
        switch stage {
        case .process: self = .process
        case .decode: self = .decode
        case .read: self = .read
        case .transfer: self = .transfer
        case .preview: self = .preview
        case .store: self = .store
        }
    }
}

extension PipelineEvent.Outcome {
    /// `nil` for work that goes on.
    init?(_ outcome: StageOutcome, _ error: ImageLoadingError?) {
        switch outcome {
        case .pending: return nil
        case .finished: self = .finished
        case .moves(let stage): self = .moved(PipelineEvent.Stage(stage))
        case .starved: self = .suspended
        case .failed:
            // Without an error it was not needed, or a cache failed that nobody waits for.
            guard let error else { self = .cancelled; return }
            self = error.fault == .cancelled ? .cancelled : .failed(error)
        }
    }
}
