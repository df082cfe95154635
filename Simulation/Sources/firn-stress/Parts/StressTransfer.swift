import FirnData
import FirnSync
import FoundationEssentials
import Synchronization

/// A running transfer. The thread that holds it delivers one event at a time.
final class StressTransfer: DataTransfer {
    private struct State {
        var place: Int
        var hasResponded = false
        var isPaused = false
        var isCancelled = false
        /// True if the transfer is in the loader's list or held by a thread.
        var isListed = true
        var receive: (@Sendable (DataEvent) -> Void)?
    }

    private let url: String
    private let body: Body?
    private let first: Int
    private let state: Locked<State>
    private let counts: Counts
    private let list: @Sendable (StressTransfer) -> Void
    private static let piece = 4 << 10

    init(
        _ request: DataRequest, counts: Counts, receive: @escaping @Sendable (DataEvent) -> Void,
        list: @escaping @Sendable (StressTransfer) -> Void
    ) {
        url = request.url
        body = Body(url: request.url)
        self.counts = counts
        self.list = list
        var first = 0
        if let range = request.headers["Range"], let start = Int(range.dropFirst("bytes=".count).dropLast()),
            let body, start < body.length
        {
            first = start
            counts.ranges.add(1, ordering: .relaxed)
        }
        self.first = first
        state = Locked(State(place: first, receive: receive))
        counts.transfers.add(1, ordering: .relaxed)
    }

    deinit { counts.transfers.subtract(1, ordering: .relaxed) }

    func cancel() { change { $0.isCancelled = true } }

    func pause() {
        counts.paused.add(1, ordering: .relaxed)
        change { $0.isPaused = true }
    }

    func resume() { change { $0.isPaused = false } }

    private func change(_ body: (inout State) -> Void) {
        let isToList = state.withLock { state in
            body(&state)
            guard !state.isListed, state.receive != nil, state.isCancelled || !state.isPaused else { return false }
            state.isListed = true
            return true
        }
        if isToList { list(self) }
    }

    /// Delivers the next event.
    ///
    /// - Returns: whether more events may follow.
    func deliver() -> Bool {
        let (event, receive): (DataEvent?, (@Sendable (DataEvent) -> Void)?) = state.withLock { state in
            guard let receive = state.receive else { return (nil, nil) }
            let event = next(&state)
            if case .end = event { state.receive = nil }
            if event == nil { state.isListed = false }
            return (event, receive)
        }
        guard let event, let receive else { return false }
        receive(event)
        if case .end = event { return false }
        return true
    }

    private func next(_ state: inout State) -> DataEvent? {
        if state.isCancelled { return .end(DataLoadingError(.cancelled, "cancelled")) }
        if state.isPaused { return nil }
        guard let body else { return .end(DataLoadingError(.badAddress, "not an address of the test")) }
        if body.kind == .missing { return .end(DataLoadingError(.status(404), "the server responded with 404")) }
        if !state.hasResponded {
            state.hasResponded = true
            var headers: HTTPHeaderFields = ["ETag": "\"\(body.length)\"", "Accept-Ranges": "bytes"]
            if first > 0 { headers.append("Content-Range", "bytes \(first)-\(body.length - 1)/\(body.length)") }
            return .response(
                DataResponse(
                    url: url, status: first > 0 ? 206 : 200, headers: headers, expectedLength: body.length - first))
        }
        if body.kind == .breaks, state.place >= body.length / 2 {
            return .end(DataLoadingError(.truncated, "the connection broke"))
        }
        guard state.place < body.length else { return .end(nil) }
        // A breaking body never arrives completely: all bytes and a broken connection would be an image.
        let last = body.kind == .breaks ? body.length / 2 : body.length
        let end = min(last, state.place + StressTransfer.piece)
        defer { state.place = end }
        return .chunk(body.bytes(state.place..<end))
    }
}
