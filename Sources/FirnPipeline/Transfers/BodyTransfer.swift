import FirnData
import FirnImage
import FirnSync
import FoundationEssentials
import Synchronization

/// Collects the bytes of a body from one or more connections. It can be paused, and cancelled before, while and after
/// it runs.
///
/// This is the shell of ``TransferMachine``. It holds the machine under a lock and calls the loader without the lock,
/// one call at a time. The way is one direction: the transfer stage begins it, it opens connections at its
/// ``BodySource``, and it reports to its ``TransferObserver``.
///
/// Invariant: the outcome is settled exactly once, and no event follows it.
final class BodyTransfer: Sendable {
    /// What the transfer is for. Set when it begins and taken out at its end.
    struct Order: Sendable {
        let source: any BodySource
        let observer: any TransferObserver
        let owner: any TransferOwner
        let ticket: JobTicket
        /// Whether the data cache may store the bytes.
        let mayStore: Bool
    }

    /// How a transfer ended.
    struct End: Sendable {
        let outcome: Outcome
        let tally: Tally
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

    /// Whether every chunk is reported.
    var isWatched: Bool { watched.load(ordering: .sequentiallyConsistent) }

    /// Returns the bytes so far and how many there will be. From now on every chunk is reported to the observer.
    ///
    /// Order: watched first, so that what arrives after the count was read is reported.
    func watch() -> (completed: Int, total: Int?) {
        watched.store(true, ordering: .sequentiallyConsistent)
        return state.withLock { ($0.machine.count, $0.machine.response?.expectedLength) }
    }

    /// The bytes so far, and how many there will be. Changes nothing.
    var progress: ImageTask.Progress {
        state.withLock { ImageTask.Progress(completed: $0.machine.count, total: $0.machine.response?.expectedLength) }
    }

    /// Notes that an image was made of the bytes so far: they were not wasted, even if the rest never comes.
    func noteUse() { state.withLock { $0.isUsed = true } }

    /// The measurements of its connections; `nil` if the loader does not measure.
    var metrics: TransferMetrics? { state.withLock { $0.machine.measured }?.metrics }

    // MARK: Orders of the engine

    /// Starts the loader.
    ///
    /// - Parameter limit: the most bytes that the body may have.
    /// - Returns: the end if the transfer is over already; `nil` if the observer is told of it later.
    func begin(_ order: Order, limit: Int, priority: DataPriority) -> End? {
        let body = order.source.partialBodies?.take(for: order.owner.request)
        let first = state.withLock { state in
            state.begin(order, limit, priority, with: body, isWatched: isWatched)
        }
        // Order: before the source can answer, so that what comes then is counted as more.
        if let inheritance = first.report { notify(inheritance) }
        if case .open(from: 0, let number) = first.call {
            // Uses what is at hand, without a look at the state.
            perform(connect(number, order, rest: nil, first.priority))
        } else {
            perform(first.call)
        }
        var report: State.Report?
        if let over = state.withLock({ $0.hasStarted(&report) }) { return conclude(over) }
        if let report { notify(report) }
        return nil
    }

    /// Stops reading. The connection stays open.
    func pause(number: UInt64) { change { machine, _ in machine.pause(number: number) } }

    /// Continues after a pause, over the same connection or another.
    func resume(number: UInt64) { change { machine, request in machine.resume(number: number, request()) } }

    /// Releases the connection of a paused transfer if a range request can bring the rest of the bytes.
    ///
    /// - Returns: whether it has no connection any more.
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
    /// Order: partial bytes are in the store before this returns, so that the next request for them finds them.
    func cancel() {
        let (call, over, order, remains) = state.withLock { state in
            let order = state.order
            let remains = state.handOver(after: BodyTransfer.cancelled)
            let isOver = state.machine.cancel() && state.settle(BodyTransfer.cancelled)
            return (state.nextCall(), isOver ? state.takeOver() : nil, order, remains)
        }
        if let remains, let order { order.keep(remains) }
        perform(call)
        if let over { finish(over) }
    }

    func change(_ body: (inout TransferMachine, () -> DataRequest?) -> Void) {
        let call = state.withLock { state in
            let owner = state.order?.owner
            body(&state.machine, { owner?.request.dataRequest })
            return state.nextCall()
        }
        perform(call)
    }
}
