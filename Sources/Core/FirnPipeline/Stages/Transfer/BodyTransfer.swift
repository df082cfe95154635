import FirnSync
import Synchronization

/// Collects the bytes of a body from one or more connections. It can be paused, and cancelled before, while and after
/// it runs.
///
/// This is the shell of ``TransferMachine``. It holds the machine under a lock and calls the loader without the lock,
/// one call at a time. Calls have one direction: the transfer stage begins the transfer, the transfer opens
/// connections at its ``TransferStage``, and it reports to its ``TransferObserver``.
///
/// Invariant: the outcome is set exactly once, and no event follows it.
final class BodyTransfer: Sendable {
    /// The parameters of a transfer. Set when it begins and removed at its end.
    ///
    /// A class, because each event copies it: a copy of its properties would count references to the stage and the
    /// observer, which all cores use.
    final class Context: Sendable {
        let stage: TransferStage
        let observer: any TransferObserver
        let job: EngineJob
        let ticket: JobTicket
        /// True if the data cache may store the bytes.
        let mayStore: Bool
        /// The most missing bytes of an unwatched transfer that reports its arriving bytes only once.
        let quietBytes: Int
        /// The bytes that the file of a download has already; `nil` for a transfer whose bytes stay in memory.
        let file: FilePart?

        init(
            _ started: StartedJob, _ stage: TransferStage, _ observer: any TransferObserver, mayStore: Bool = false,
            file: FilePart? = nil
        ) {
            self.stage = stage
            self.observer = observer
            job = started.job
            ticket = started.ticket
            self.mayStore = mayStore
            quietBytes = started.quietBytes
            self.file = file
        }
    }

    struct End {
        let context: Context
        let outcome: Outcome
        let tally: Tally
        let previews: LatestPreviews?
    }

    private let lock = InlineLock()
    // Safety: touched only while `lock` is held.
    @exclusivity(unchecked) nonisolated(unsafe) private var guarded = State()
    private let watched = Atomic<Bool>(false)
    /// The closures to call when a response or bytes have arrived; `nil` if there was never one.
    private let readers = AtomicLazyReference<Box<Locked<[@Sendable () -> Void]>>>()

    @inline(__always)
    func withState<Result>(_ body: (inout State) -> Result) -> Result { lock.withLock { body(&guarded) } }

    /// True if every chunk is reported.
    var isWatched: Bool { watched.load(ordering: .sequentiallyConsistent) }

    /// Returns the number of bytes so far and the expected total. From now on every chunk is reported to the
    /// observer.
    ///
    /// Order: sets the flag first, so that bytes that arrive after the count was read are reported.
    func watch() -> (completed: Int, total: Int?) {
        watched.store(true, ordering: .sequentiallyConsistent)
        let (completed, total, report) = withState { state in
            (state.machine.count, state.machine.response?.expectedLength, state.takeSilence())
        }
        if let report { notify(report) }
        return (completed, total)
    }

    /// The number of bytes so far, and the expected total. Has no side effect.
    var progress: ImageTask.Progress {
        withState { ImageTask.Progress(completed: $0.machine.count, total: $0.machine.response?.expectedLength) }
    }

    /// Notes that an image was made of the bytes so far, so that they do not count as lost if the transfer fails.
    func noteUse() { withState { $0.isUsed = true } }

    /// True if its arriving bytes are reported only once.
    var isQuiet: Bool { withState { $0.isQuiet } }

    /// True if other transfers may get these bytes: it has its connection, or is over, and no cache was emptied since.
    var mayServe: Bool {
        withState { state in
            ![.idle, .detached].contains(state.machine.phase) && !state.machine.isPaused
                && state.context?.job.isForgotten(.disk) != true
        }
    }

    /// The measurements of the connections; `nil` if the loader does not measure.
    var measured: MeasuredTransfer? { withState { $0.machine.measured } }

    // MARK: Orders of the engine

    /// Starts the loader.
    ///
    /// - Parameter limit: the most bytes that the body may have.
    /// - Returns: the end if the transfer is over already; `nil` if the observer receives it later.
    func begin(_ context: Context, limit: Int, priority: DataPriority) -> End? {
        let body = context.file == nil ? context.stage.partialBodies?.take(for: context.job.request) : nil
        let first = withState { state in
            state.begin(context, limit, priority, with: body, isWatched: isWatched)
        }
        // Order: before the loader can respond, so that bytes that arrive then are counted as additional.
        if let inheritance = first.report { notify(inheritance) }
        if case .open(from: 0, let number) = first.call {
            // The common case, without reading the state again.
            perform(connect(number, context, rest: nil, first.priority))
        } else {
            perform(first.call)
        }
        var report: State.Report?
        let end = withState { $0.hasStarted(&report, isWatched: isWatched) }
        if let end { conclude(end) } else if let report { notify(report) }
        return end
    }

    /// Stops reading. The connection stays open until ``release(number:)``.
    func pause(number: UInt64) { change { machine, _ in machine.pause(number: number) } }

    /// Continues after a pause, over the same connection or a new one.
    func resume(number: UInt64) { change { machine, request in machine.resume(number: number, request()) } }

    /// Releases the connection of a paused transfer if a range request can fetch the rest of the bytes.
    ///
    /// - Returns: whether the transfer has no connection now.
    @discardableResult
    func release(number: UInt64) -> Bool {
        var isDetached = false
        change { machine, request in
            machine.release(number: number, request())
            isDetached = machine.phase == .detached
        }
        return isDetached
    }

    func prioritise(_ level: Int, number: UInt64) {
        guard let priority = DataPriority(rawValue: level) else { return }
        change { machine, _ in machine.prioritise(priority, number: number) }
    }

    /// Cancels the transfer.
    ///
    /// Order: partial bytes are stored before this returns, so that the next request for them finds them.
    func cancel() {
        let (call, end, context, remains) = withState { state in
            let context = state.context
            let remains = state.handOver(after: .cancelled)
            let isOver = state.machine.cancel() && state.settle(.cancelled)
            return (state.nextCall(), isOver ? state.takeEnd() : nil, context, remains)
        }
        if let remains, let context { context.keep(remains) }
        perform(call)
        if let end { finish(end) }
    }

    func change(_ body: (inout TransferMachine, () -> DataRequest?) -> Void) {
        let call = withState { state in
            let job = state.context?.job
            body(&state.machine, { job?.request.dataRequest })
            return state.nextCall()
        }
        perform(call)
    }

    /// The bytes that have arrived since an earlier call.
    struct Arrival {
        /// The number of the body. If it has changed, all bytes are new.
        let edition: UInt32
        let chunks: [Data]
        /// All bytes so far.
        let count: Int
        /// The length of the body, if the source sent it.
        let total: Int?
        let response: DataResponse?
        let times: ResponseTimes
        /// The whole body, once it is complete.
        let whole: FetchedBytes?
    }

    /// Returns the chunks of an edition after the first `seen`; all chunks if the edition has changed.
    func arrival(after seen: Int, of edition: UInt32) -> Arrival {
        withState { state in
            let machine = state.machine
            var whole: FetchedBytes?
            if case .bytes(let bytes) = state.outcome { whole = bytes }
            let chunks = whole?.chunks ?? machine.chunks
            return Arrival(
                edition: machine.edition, chunks: Array(chunks.dropFirst(machine.edition == edition ? seen : 0)),
                count: machine.count, total: machine.response?.expectedLength, response: machine.response,
                times: state.times,
                whole: whole)
        }
    }

    /// Removes and returns the chunks of a transfer into a file. Resumes a loader that waits for this.
    func drain() -> Arrival {
        let (arrival, call) = withState { state in
            let machine = state.machine
            let arrival = Arrival(
                edition: machine.edition, chunks: state.machine.takeChunks(), count: machine.count,
                total: machine.response?.expectedLength, response: machine.response, times: state.times, whole: nil)
            return (arrival, state.nextCall())
        }
        perform(call)
        return arrival
    }

    /// Calls `body` when a response or bytes have arrived, on the loader's thread. The end is not reported.
    ///
    /// Order: read the arrival after this call, so that nothing is missed.
    func whenArriving(_ body: @escaping @Sendable () -> Void) {
        (readers.load() ?? readers.storeIfNil(Box(Locked([])))).value.withLock { $0.append(body) }
    }

    func tellReaders() {
        guard let readers = readers.load() else { return }
        for body in readers.value.withLock({ $0 }) { body() }
    }

    /// Stale bytes that may be shown until the outcome is known; `nil` afterwards.
    var stale: StaleBytes? {
        withState { state in
            guard state.outcome == nil, let stale = state.context?.job.stale, stale.mayShow else { return nil }
            return stale
        }
    }

    /// The number of the body that is arriving.
    var edition: UInt32 { withState { $0.machine.edition } }

    /// Returns the store of the latest previews, created if needed; `nil` once the transfer is over.
    func openPreviews() -> LatestPreviews? {
        withState { state in
            guard state.outcome == nil, !state.machine.isCancelled else { return nil }
            if state.previews == nil { state.previews = LatestPreviews() }
            return state.previews
        }
    }

    func preview(of step: RequestStep, for request: ImageRequest) -> ImageContainer? {
        withState { $0.previews }?.find(step, for: request)
    }
}

/// Receives the events of a transfer, on any thread. Not called for the end of a transfer that is over before `begin`
/// returns.
protocol TransferObserver: AnyObject, Sendable {
    /// The transfer begins with bytes of an earlier one. The rest is requested next.
    func transferBegan(_ ticket: JobTicket, with completed: Int, total: Int?)
    /// A response has arrived. Called once for each connection.
    func transferResponded(_ ticket: JobTicket, _ job: EngineJob)
    /// A response to a request whose fields a delegate may have changed has arrived.
    func transferSelects(_ ticket: JobTicket, _ job: EngineJob, _ response: DataResponse)
    /// The first bytes have arrived, or many more since the last call.
    func transferArrived(_ ticket: JobTicket, _ job: EngineJob, completed: Int, total: Int?)
    /// More bytes have arrived. Called only after `BodyTransfer.watch`.
    func transferProgressed(_ ticket: JobTicket, completed: Int, total: Int?)
    /// Returns whether all subscribed tasks need an image and no decoder recognizes bytes that start with `head`.
    func transferIsUnknown(_ ticket: JobTicket, _ job: EngineJob, head: Data, _ response: DataResponse?) -> Bool
    /// Returns whether a subscriber may show a stale image that it does not have yet, or that only its task has.
    func transferHasViewers(_ ticket: JobTicket) -> Bool
    /// The request is retried after a delay. Until then the transfer needs no slot.
    ///
    /// - Returns: the number of the latest order. A resumption with a higher number ends the wait.
    func transferWaits(_ ticket: JobTicket, for time: Duration) -> UInt64
    /// There are bytes to write to disk while more arrive, or stored bytes to drop.
    func transferSpilled(_ part: PartialPart, of job: EngineJob)
    func transferEnded(_ ticket: JobTicket, _ job: EngineJob, _ outcome: StageOutcome)
}
