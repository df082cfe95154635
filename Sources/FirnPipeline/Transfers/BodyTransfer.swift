import FirnData
import FirnImage
import FirnSync
import FoundationEssentials
import Synchronization

/// Collects what the loader delivers into a chain of chunks; can be paused, and cancelled before, while and after it
/// runs.
///
/// The shell of ``TransferMachine``: holds it under a lock, calls the loader without it, one call at a time.
///
/// Invariant: the outcome is settled exactly once, and nothing follows it.
final class BodyTransfer: Sendable {
    /// Whose bytes they are. Moved in when it begins and out at its end.
    struct Job: Sendable {
        let stage: TransferStage
        let observer: any TransferObserver
        let work: JobWork
        let ticket: JobTicket
        let mayStore: Bool
    }

    private let lock = InlineLock()
    // Safety: touched only while `lock` is held.
    @exclusivity(unchecked) nonisolated(unsafe) private var guarded = State()
    static let cancelled = DataLoadingError(.cancelled, "the transfer was cancelled")
    private let watched = Atomic<Bool>(false)

    /// The state, behind its lock.
    struct Guarded {
        fileprivate let transfer: BodyTransfer

        @inline(__always)
        func withLock<Result>(_ body: (inout State) -> Result) -> Result {
            transfer.lock.withLock { body(&transfer.guarded) }
        }
    }

    var state: Guarded { @inline(__always) get { Guarded(transfer: self) } }

    /// Whether somebody wants to know of every chunk.
    var isWatched: Bool { watched.load(ordering: .sequentiallyConsistent) }

    /// Bytes so far, and how many there will be. From now on the observer is told of every chunk.
    ///
    /// Order: watched first, so that what arrives after the count was read is told.
    func watch() -> (completed: Int, total: Int?) {
        watched.store(true, ordering: .sequentiallyConsistent)
        return state.withLock { ($0.machine.count, $0.machine.response?.expectedLength) }
    }

    /// Bytes so far, and how many there will be. Changes nothing.
    var progress: ImageTask.Progress {
        state.withLock { ImageTask.Progress(completed: $0.machine.count, total: $0.machine.response?.expectedLength) }
    }

    /// An image has been made of the bytes there are: they were not wasted, whatever becomes of the rest.
    func noteUse() { state.withLock { $0.isUsed = true } }

    /// What it has taken so far, or took; `nil` where its source does not measure.
    var metrics: TransferMetrics? { state.withLock { $0.machine.measured }?.metrics }

    // MARK: What the engine wants

    /// Starts the loader.
    ///
    /// - Returns: the outcome if the transfer is over already, else `pending`.
    func begin(
        _ work: JobWork, _ ticket: JobTicket, mayStore: Bool, _ stage: TransferStage, _ observer: any TransferObserver,
        limit: Int, priority: DataPriority
    ) -> StageOutcome {
        if let failure = stage.environment.failures?.failure(for: work.request) {
            work.fail(ImageLoadingError(failure, for: work.request))
            return .failed
        }
        let body = stage.keeper?.take(for: work.request)
        let first = state.withLock { state in
            state.begin(
                work, ticket, mayStore: mayStore, stage, observer, limit, priority, with: body, isWatched: isWatched)
        }
        // Order: before the source can answer, so that what comes then is counted as more.
        if let inheritance = first.news { tell(inheritance) }
        if case .open(from: 0, let number) = first.call {
            // By what is at hand, without a look into the state.
            perform(ask(number, work, stage, rest: nil, first.priority))
        } else {
            perform(first.call)
        }
        var news: State.News?
        if let over = state.withLock({ $0.hasStarted(&news) }) { return settle(over) }
        if let news { tell(news) }
        return .pending
    }

    /// Stops reading; the connection stays.
    func pause(number: UInt64) { change { machine, _ in machine.pause(number: number) } }

    /// Goes on after a pause, over the same connection or another.
    func resume(number: UInt64) { change { machine, request in machine.resume(number: number, request()) } }

    /// Lets go of a paused transfer's connection, if the rest of the bytes can be had without the first.
    ///
    /// - Returns: whether it has none any more.
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

    /// Nobody needs the bytes any more.
    ///
    /// Order: they are handed over before this returns, so that whoever asks again finds them.
    func cancel() {
        let (call, over, job, remains) = state.withLock { state in
            let job = state.job
            let remains = state.handOver(after: BodyTransfer.cancelled)
            let isOver = state.machine.cancel() && state.settle(BodyTransfer.cancelled)
            return (state.nextCall(), isOver ? state.takeOver() : nil, job, remains)
        }
        if let remains, let job { job.keep(remains) }
        perform(call)
        if let over { tell(over) }
    }

    func change(_ body: (inout TransferMachine, () -> DataRequest?) -> Void) {
        let call = state.withLock { state in
            let work = state.job?.work
            body(&state.machine, { work?.request.dataRequest })
            return state.nextCall()
        }
        perform(call)
    }
}
