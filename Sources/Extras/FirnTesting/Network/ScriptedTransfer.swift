public import FirnData
import FirnSync
public import FoundationEssentials

/// One transfer of a ``ScriptedLoader``, driven by its script or by the test.
///
/// Events are delivered one after the other, each on the thread whose call allowed it: a start, release,
/// resume, cancel or send. An event that is allowed while another one is being delivered follows it on the thread of
/// that delivery.
public final class ScriptedTransfer: DataTransfer {
    /// The request.
    public let request: DataRequest

    private struct State {
        var waiting: [DataEvent] = []
        var isHeld: Bool
        var isPaused = false
        var isCancelled = false
        // Invariant: nothing is queued after an `end`, and nothing follows a delivered one.
        var hasEnd = false
        var isDelivering = false
        /// Released with the end, so that a finished transfer does not keep its receiver alive.
        var receive: (@Sendable (DataEvent) -> Void)?
    }

    private let state: Locked<State>
    private let report: @Sendable ((inout ScriptedLoader.Record) -> Void) -> Void

    init(
        _ request: DataRequest, isHeld: Bool, receive: @escaping @Sendable (DataEvent) -> Void,
        report: @escaping @Sendable ((inout ScriptedLoader.Record) -> Void) -> Void
    ) {
        self.request = request
        self.report = report
        state = Locked(State(isHeld: isHeld, receive: receive))
    }

    /// True if ``cancel()`` was called before the end was delivered.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// True if the transfer is paused now.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Delivers the response, with the address of the request if it names none.
    public func respond(_ response: DataResponse = DataResponse(url: "", status: 200)) {
        enqueue(.response(addressed(response)))
    }

    /// Delivers bytes of the body.
    public func send(_ data: Data) { enqueue(.chunk(data)) }

    /// Ends the transfer with a complete body.
    public func finish() { enqueue(.end(nil)) }

    /// Ends the transfer with an error.
    public func fail(_ error: DataLoadingError) { enqueue(.end(error)) }

    /// Discards undelivered events and ends the transfer.
    public func cancel() {
        let isFirst = state.withLock { state in
            // The end may be queued after chunks of a paused transfer. It was not delivered, so the cancellation
            // counts.
            if state.isCancelled || (state.hasEnd && state.waiting.isEmpty) { return false }
            state.isCancelled = true
            state.hasEnd = true
            state.waiting = [.end(DataLoadingError(.cancelled, "the transfer was cancelled"))]
            return true
        }
        guard isFirst else { return }
        report { $0.cancelled.append(request.url) }
        deliver()
    }

    /// Queues events until ``resume()``.
    public func pause() {
        state.withLock { $0.isPaused = true }
        report { $0.paused.append(request.url) }
    }

    /// Delivers queued events, and continues.
    public func resume() {
        state.withLock { $0.isPaused = false }
        report { $0.resumed.append(request.url) }
        deliver()
    }

    /// Records the priority, and does nothing else.
    public func setPriority(_ priority: DataPriority) { report { $0.priorities.append(priority) } }

    func release() {
        state.withLock { $0.isHeld = false }
        deliver()
    }

    func play(_ script: LoadScript) {
        state.withLock { state in
            guard !state.hasEnd else { return }
            state.waiting += script.events.map { event -> DataEvent in
                if case .response(let response) = event { .response(addressed(response)) } else { event }
            }
            state.waiting.append(.end(script.end))
            state.hasEnd = true
        }
        deliver()
    }

    private func enqueue(_ event: DataEvent) {
        state.withLock { state in
            guard !state.hasEnd else { return }
            if case .end = event { state.hasEnd = true }
            state.waiting.append(event)
        }
        deliver()
    }

    private func deliver() {
        while let (event, receive) = nextEvent() {
            let isEnd = if case .end = event { true } else { false }
            // Order: not counted as active when the receiver is called, because the receiver may start the next
            // transfer; counted as ended after that call, because a test that waits for the end checks its effects.
            if isEnd { report { $0.active -= 1 } }
            receive(event)
            state.withLock { $0.isDelivering = false }
            if isEnd { report { $0.ended.append(request.url) } }
        }
    }

    private func nextEvent() -> (DataEvent, @Sendable (DataEvent) -> Void)? {
        state.withLock { state in
            guard !state.isDelivering, !state.waiting.isEmpty, let receive = state.receive else { return nil }
            // A cancelled transfer ends even while it is held or paused.
            guard state.isCancelled || !(state.isHeld || state.isPaused) else { return nil }
            state.isDelivering = true
            let event = state.waiting.removeFirst()
            if case .end = event { state.receive = nil }
            return (event, receive)
        }
    }

    private func addressed(_ response: DataResponse) -> DataResponse {
        guard response.url.isEmpty else { return response }
        var response = response
        response.url = request.url
        return response
    }
}
