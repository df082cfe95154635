@_exported public import FirnBinding
import FirnSync

/// A loader for tests: it sends the responses that the test sets, at the time that the test chooses.
///
/// ```swift
/// let loader = ScriptedLoader()
/// loader.respond(to: "https://a/x.png", with: data)  // at once, inside `startLoading`
/// loader.hold("https://a/y.png")  // nothing before `release`
/// loader.respondByHand(to: "https://a/z.png")  // events come from the test
/// let transfer = await loader.waitForRequest("https://a/z.png")
/// transfer.respond()
/// transfer.send(data)
/// transfer.finish()
/// ```
/// A response applies to every later request for its address. An address without a response gets status 404.
public final class ScriptedLoader: DataLoading {
    /// Keys are addresses in the way that the pipeline writes them.
    private struct State {
        var responses: [String: [DataEvent]] = [:]
        var held: Set<String> = []
        var transfers: [String: [ScriptedTransfer]] = [:]
    }

    /// The calls of a loader and of its transfers.
    struct Calls {
        let requests = Recorder<DataRequest>()
        let pauses = Recorder<DataRequest>()
        let resumes = Recorder<DataRequest>()
        let priorities = Recorder<DataPriority>()
    }

    private let state = Locked(State())
    private let calls = Calls()

    /// Creates a loader that responds to every address with status 404.
    public init() {}

    // MARK: Responses

    /// Responds to an address with a body.
    ///
    /// - Parameters:
    ///   - url: the address.
    ///   - body: all bytes of the body; `expectedLength` of the response is their number.
    ///   - headers: header fields of the response. Default: none.
    ///   - status: HTTP status. Default: 200; `nil` for a source without one.
    ///   - chunkSize: length of a chunk in bytes. Default: the body is one chunk. An empty body has none.
    ///   - end: the end of the transfer, for a body that ends early. Default: complete.
    public func respond(
        to url: String, with body: Data, headers: HTTPHeaderFields = HTTPHeaderFields(), status: Int? = 200,
        chunkSize: Int = .max, end: DataLoadingError? = nil
    ) {
        let response = DataResponse(url: "", status: status, headers: headers, expectedLength: body.count)
        var events: [DataEvent] = [.response(response)]
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(max(1, chunkSize))
            events.append(.chunk(Data(chunk)))
            rest = rest.dropFirst(chunk.count)
        }
        respond(to: url, with: events + [.end(end)])
    }

    /// Responds to an address with these events. If there is no `end`, the test sends the others; see
    /// ``waitForRequest(_:number:)``.
    public func respond(to url: String, with events: [DataEvent]) {
        state.withLock { $0.responses[Self.key(url)] = events }
    }

    /// Ends requests for an address with an error and no response.
    public func fail(_ url: String, with error: DataLoadingError) { respond(to: url, with: [.end(error)]) }

    /// Lets the test send the events of an address's transfers; see ``waitForRequest(_:number:)``.
    public func respondByHand(to url: String) { respond(to: url, with: []) }

    /// Holds all events of an address's transfers that start from now on, until ``release(_:)``.
    ///
    /// A held transfer that is cancelled ends.
    public func hold(_ url: String) { state.withLock { _ = $0.held.insert(Self.key(url)) } }

    /// Delivers the held events of an address, on the calling thread, and stops holding it.
    public func release(_ url: String) {
        state.withLock { _ = $0.held.remove(Self.key(url)) }
        for transfer in transfers(url) { transfer.release() }
    }

    // MARK: Calls

    /// The requests, in the order of their starts. They end after the `end` of their transfers is delivered.
    public var requests: Recorder<DataRequest> { calls.requests }

    /// The requests of transfers that were paused, one for each call of `pause`.
    package var pauses: Recorder<DataRequest> { calls.pauses }
    package var resumes: Recorder<DataRequest> { calls.resumes }
    /// The priorities that running transfers received.
    package var priorities: Recorder<DataPriority> { calls.priorities }

    /// All transfers of an address, oldest first.
    public func transfers(_ url: String) -> [ScriptedTransfer] {
        state.withLock { $0.transfers[Self.key(url), default: []] }
    }

    /// Waits for the request of this number (from 1) for an address, and returns its transfer.
    ///
    /// Give the test a time limit: the wait for a request that never comes ends only when the task is cancelled.
    public func waitForRequest(_ url: String, number: Int = 1) async -> ScriptedTransfer {
        let (key, index) = (Self.key(url), max(0, number - 1))
        await requests.wait { $0.calls.count { Self.key($0.url) == key } > index }
        // Only in a cancelled task: this transfer has no receiver.
        return transfers(url).dropFirst(index).first
            ?? ScriptedTransfer(DataRequest(url: url), Calls(), isHeld: true) { _ in }
    }

    /// Returns an address in the way that the pipeline writes it.
    private static func key(_ url: String) -> String { WebAddress.normalized(url) ?? url }

    // MARK: DataLoading

    /// Starts a transfer. Scripted events that are not held are delivered before this returns.
    public func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let key = Self.key(request.url)
        let (transfer, events) = state.withLock { state in
            let transfer = ScriptedTransfer(request, calls, isHeld: state.held.contains(key), receive: receive)
            state.transfers[key, default: []].append(transfer)
            let none = DataLoadingError(.status(404), "the script has no response for this address")
            return (transfer, state.responses[key] ?? [.end(none)])
        }
        // Order: a test that waits for the request finds its transfer.
        requests.start(request)
        transfer.send(events)
        return transfer
    }
}
