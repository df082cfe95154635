import FirnSync

/// Sends the events of the engine to the observers of the pipeline. Does nothing without observers. Never called
/// under a lock.
struct EventEmitter: Sendable {
    /// `nil` without observers, so that the check for them is one comparison.
    private let observers: Box<[any PipelineObserver]>?

    init(_ observers: [any PipelineObserver]) { self.observers = observers.isEmpty ? nil : Box(observers) }

    var isObserved: Bool { @inline(__always) get { observers != nil } }

    @inline(__always)
    func emit(_ kind: @autoclosure () -> PipelineEvent.Kind, at time: Moment? = nil) {
        if isObserved { send(kind(), at: time ?? MonotonicClock.now()) }
    }

    private func send(_ kind: consuming PipelineEvent.Kind, at time: Moment) {
        guard let observers else { return }
        let event = PipelineEvent(time: .nanoseconds(time), kind: kind)
        // Without an iterator, which would copy each observer.
        for index in observers.value.indices { observers.value[index].pipeline(didObserve: event) }
    }

    func jobStarts(_ started: StartedJob, on worker: Int) {
        guard isObserved else { return }
        if started.isResumption { return emit(.transferResumed(started.ticket.generation)) }
        let job = started.job
        let waited = job.queuedAt == 0 ? .zero : Duration.nanoseconds(max(0, job.startedAt - job.queuedAt))
        emit(
            .jobStarted(
                PipelineEvent.JobStart(
                    job: started.ticket.generation, parent: job.parent == 0 ? nil : job.parent,
                    stage: started.stage, worker: started.stage == .transfer ? nil : worker,
                    request: job.request, priority: ImageRequest.Priority(rawValue: started.level) ?? .veryLow,
                    waited: waited, waiting: started.tasks)), at: job.startedAt)
    }

    /// Sends the event of a stage that has run.
    ///
    /// Order: called before the job is returned to the table, so that the events that follow from it are sent later.
    func jobEnds(_ started: StartedJob, _ outcome: StageOutcome, at now: Moment) {
        guard isObserved, let event = PipelineEvent.Outcome(outcome) else { return }
        let job = started.job
        var bytes = 0
        var pixels = 0
        var isFromDisk = false
        switch outcome {
        case .done(.image(let origin, _)?):
            // A rendering has a placeholder.
            let size = origin.value == nil ? origin.container.image.size : PixelSize(0)
            pixels = size.width * size.height
        case .done(.bytes(let fetched)?):
            // Bytes that the source has only confirmed were not transferred.
            bytes = started.stage == .transfer && fetched.isFromDisk ? 0 : fetched.count
            isFromDisk = fetched.isFromDisk
        case .done(nil):
            if case .store(let store) = job.work, case .original(let stored) = store.content { bytes = stored.count }
        default: break
        }
        let isTransfer = started.stage == .transfer
        if isTransfer { bytes += job.keptBytes }
        emit(
            .jobEnded(
                PipelineEvent.JobEnd(
                    job: started.ticket.generation, stage: started.stage, outcome: event,
                    request: job.request, duration: .nanoseconds(max(0, now - job.startedAt)), bytes: bytes,
                    wastedBytes: isTransfer ? job.wastedBytes : 0, pixels: pixels, isFromDisk: isFromDisk,
                    measured: isTransfer ? job.transfer?.measured : nil)), at: now)
    }

    func taskEnds(_ task: ImageTask, _ end: TaskRecord.End) {
        guard isObserved, task.number != 0 else { return }
        switch end {
        case .failure(let error): emit(.taskEnded(task.number, .failure(error)))
        case .success(let origin):
            let size = origin.container.image.size
            let pixels = task.request.wantsBytes ? 0 : size.width * size.height
            emit(.taskEnded(task.number, .image(origin.cacheType, pixels: pixels)))
        }
    }
}

extension PipelineEvent.Outcome {
    /// Returns nil for a job that an event ends later.
    init?(_ outcome: StageOutcome) {
        switch outcome {
        case .pending: return nil
        case .done: self = .finished
        case .needsTransfer: self = .moved(.transfer)
        case .refused: self = .moved(.decode)
        case .needsBytes: self = .suspended
        case .notNeeded, .servedElsewhere: self = .cancelled
        case .failed(let error): self = error.fault == .cancelled ? .cancelled : .failed(error)
        }
    }
}
