import FirnSync
import FirnSystem

/// Records calls of one kind, and lets a test wait for them.
///
/// Every fake has a recorder for each kind of call. Others are created by tests: for the events of a pipeline,
///
/// ```swift
/// let recorder = Recorder<PipelineEvent>()
/// configuration.observers = [recorder]
/// let record = await recorder.wait { $0.calls.count > 3 }
/// ```
/// and for those of a transfer, whose order it checks:
///
/// ```swift
/// let recorder = Recorder<DataEvent>()
/// let transfer = loader.startLoading(request) { recorder.add($0) }
/// let result = await recorder.end()
/// #expect(result.error == nil && result.body == expected && result.violations.isEmpty)
/// ```
public final class Recorder<Call: Sendable>: Sendable {
    /// The calls up to one time.
    public struct Record: Sendable {
        /// Every call, in the order of their starts. Events of a pipeline are in the order of their times.
        public internal(set) var calls: [Call] = []
        /// The calls that were cancelled, or given up by the client of a server, before their end.
        public internal(set) var cancelled: [Call] = []
        /// The calls that have ended, including cancelled ones, in the order of their ends. Only calls that take time
        /// have an end: requests, connections, decodes, and the calls of a processor.
        public internal(set) var ended: [Call] = []
        /// The number of running calls.
        public internal(set) var active = 0
        /// The largest number of calls running at one time.
        public internal(set) var peak = 0
        var isHeld = false
    }

    private struct Waiter {
        let isReached: @Sendable (Record) -> Bool
        let continuation: CheckedContinuation<Record, Never>
    }

    private struct State {
        var record = Record()
        var waiters: [Int: Waiter] = [:]
        var lastNumber = 0
    }

    private let state = Locked(State())

    /// Creates an empty recorder.
    public init() {}

    /// The calls so far, and their ends.
    public var record: Record { state.withLock { $0.record } }

    /// The calls so far, in the order of their starts.
    public var calls: [Call] { record.calls }

    /// The number of calls so far.
    public var count: Int { calls.count }

    /// True if there was no call so far.
    public var isEmpty: Bool { calls.isEmpty }

    /// Records a call.
    public func add(_ call: Call) { update { $0.calls.append(call) } }

    /// Waits until the record satisfies a condition, and returns it as it then was.
    ///
    /// The condition runs under a lock: it must be quick and must not use the recorder. Give the test a time limit: a
    /// wait in vain ends only when its task is cancelled, and then returns the current record.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable (Record) -> Bool) async -> Record {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let reached: Record? = state.withLock { state in
                    // Order: an earlier cancel found no waiter to resume, so cancellation is checked under the lock.
                    if Task.isCancelled || isReached(state.record) { return state.record }
                    state.waiters[number] = Waiter(isReached: isReached, continuation: continuation)
                    return nil
                }
                if let reached { continuation.resume(returning: reached) }
            }
        } onCancel: {
            let (waiter, record) = state.withLock { ($0.waiters.removeValue(forKey: number), $0.record) }
            waiter?.continuation.resume(returning: record)
        }
    }

    /// Changes the record, then resumes the tasks whose condition it satisfies.
    func update(_ change: (inout Record) -> Void) {
        let (reached, record) = state.withLock { state in
            change(&state.record)
            // Order: conditions run on the record of this very change, so none of its states is missed.
            let record = state.record
            let reached = state.waiters.filter { $0.value.isReached(record) }.sorted { $0.key < $1.key }
            for (number, _) in reached { state.waiters[number] = nil }
            return (reached.map(\.value.continuation), record)
        }
        for continuation in reached { continuation.resume(returning: record) }
    }
}

// MARK: Calls with an end

extension Recorder {
    package func start(_ call: Call) {
        update { record in
            record.calls.append(call)
            record.active += 1
            record.peak = max(record.peak, record.active)
        }
    }

    package func end(_ call: Call, isCancelled: Bool = false) {
        update { record in
            record.active -= 1
            if isCancelled { record.cancelled.append(call) }
            record.ended.append(call)
        }
    }

    /// Keeps calls in ``endsCancelled(_:)``, or lets them continue.
    package func hold(_ isHeld: Bool) { update { $0.isHeld = isHeld } }

    /// Waits while calls are held and this one is not cancelled, and returns whether it was cancelled.
    package func endsCancelled(_ cancellation: CancellationFlag) -> Bool {
        while record.isHeld, !cancellation.isCancelled { sched_yield() }
        return cancellation.isCancelled
    }
}

// MARK: Events

extension Recorder: PipelineObserver where Call == PipelineEvent {
    /// Records an event in the order of its time.
    public func pipeline(didObserve event: PipelineEvent) {
        update { record in
            let earlier = record.calls.lastIndex { $0.time <= event.time }
            record.calls.insert(event, at: earlier.map { $0 + 1 } ?? 0)
        }
    }
}

extension Recorder where Call == DataEvent {
    /// Waits for the end of the transfer.
    @discardableResult
    public func end() async -> Record { await wait { $0.ends > 0 } }
}

extension Recorder.Record where Call == DataEvent {
    /// The response; `nil` if none came.
    public var response: DataResponse? {
        calls.lazy.compactMap { if case .response(let response) = $0 { response } else { nil } }.last
    }

    /// The bytes of the body so far.
    public var body: Data {
        calls.reduce(into: Data()) { body, event in
            if case .chunk(let data) = event { body.append(data) }
        }
    }

    /// The number of `end` events; 1 for a correct loader whose transfer has ended.
    public var ends: Int { calls.count { if case .end = $0 { true } else { false } } }

    /// The error of the end; `nil` if the body arrived completely, or if the transfer has not ended.
    public var error: DataLoadingError? {
        calls.lazy.compactMap { if case .end(let error) = $0 { error } else { nil } }.first
    }

    /// Violations of the order that `DataLoading` requires, in words: `response`, any number of `chunk`, one `end`; or
    /// only `end`.
    public var violations: [String] {
        var (violations, bytes, hasEnded) = ([String](), 0, false)
        var response: DataResponse?
        for event in calls {
            if hasEnded { violations.append("an event after the end") }
            switch event {
            case .response(let next):
                if response != nil { violations.append("a second response") }
                response = next
            case .chunk(let data):
                bytes += data.count
                if response == nil { violations.append("a chunk before the response") }
                if data.isEmpty { violations.append("an empty chunk") }
            case .end(let error):
                hasEnded = true
                guard error == nil else { continue }
                if response == nil { violations.append("an end without an error or a response") }
                if let expected = response?.expectedLength, bytes != expected {
                    violations.append("an end without an error after \(bytes) of \(expected) bytes")
                }
            }
        }
        return violations
    }
}
