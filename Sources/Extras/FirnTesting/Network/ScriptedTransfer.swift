import FirnSync

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
    private let calls: ScriptedLoader.Calls

    init(
        _ request: DataRequest, _ calls: ScriptedLoader.Calls, isHeld: Bool,
        receive: @escaping @Sendable (DataEvent) -> Void
    ) {
        self.request = request
        self.calls = calls
        state = Locked(State(isHeld: isHeld, receive: receive))
    }

    /// True if ``cancel()`` was called before the end was delivered.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// True if the transfer is paused now.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Delivers the response, with the address of the request if it names none.
    public func respond(_ response: DataResponse = DataResponse(url: "", status: 200)) {
        send([.response(response)])
    }

    /// Delivers bytes of the body.
    public func send(_ data: Data) { send([.chunk(data)]) }

    /// Ends the transfer with a complete body.
    public func finish() { send([.end(nil)]) }

    /// Ends the transfer with an error.
    public func fail(_ error: DataLoadingError) { send([.end(error)]) }

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
        calls.requests.update { $0.cancelled.append(request) }
        deliver()
    }

    /// Queues events until ``resume()``.
    public func pause() {
        state.withLock { $0.isPaused = true }
        calls.pauses.add(request)
    }

    /// Delivers queued events, and continues.
    public func resume() {
        state.withLock { $0.isPaused = false }
        calls.resumes.add(request)
        deliver()
    }

    /// Records the priority, and does nothing else.
    public func setPriority(_ priority: DataPriority) { calls.priorities.add(priority) }

    func release() {
        state.withLock { $0.isHeld = false }
        deliver()
    }

    /// Adds events up to the first `end`, and delivers those that are allowed.
    func send(_ events: [DataEvent]) {
        state.withLock { state in
            for event in events where !state.hasEnd {
                if case .response(var response) = event, response.url.isEmpty {
                    response.url = request.url
                    state.waiting.append(.response(response))
                } else {
                    state.waiting.append(event)
                }
                if case .end = event { state.hasEnd = true }
            }
        }
        deliver()
    }

    private func deliver() {
        while let (event, receive) = nextEvent() {
            let isEnd = if case .end = event { true } else { false }
            // Order: not counted as active when the receiver is called, because the receiver may start the next
            // transfer; counted as ended after that call, because a test that waits for the end checks its effects.
            if isEnd { calls.requests.update { $0.active -= 1 } }
            receive(event)
            state.withLock { $0.isDelivering = false }
            if isEnd { calls.requests.update { $0.ended.append(request) } }
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
}
