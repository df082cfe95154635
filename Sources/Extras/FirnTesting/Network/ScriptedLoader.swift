@_exported public import FirnBinding
@_exported public import FirnData
@_exported public import FirnImage
@_exported public import FirnPipeline
import FirnSync
public import FoundationEssentials

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
        /// A response is `nil` if the test sends the events.
        var responses: [String: LoadScript?] = [:]
        var held: Set<String> = []
        var transfers: [String: [ScriptedTransfer]] = [:]
        var record = Record()
    }

    private let state = Watched(State())

    /// Creates a loader that responds to every address with status 404.
    public init() {}

    // MARK: Responses

    /// Responds to an address with a body; see ``LoadScript/body(_:headers:status:chunkSize:end:)``.
    public func respond(
        to url: String, with body: Data, headers: HTTPHeaderFields = HTTPHeaderFields(), status: Int? = 200,
        chunkSize: Int = .max, end: DataLoadingError? = nil
    ) {
        respond(to: url, with: .body(body, headers: headers, status: status, chunkSize: chunkSize, end: end))
    }

    /// Responds to an address with a script.
    public func respond(to url: String, with script: LoadScript) {
        state.update { $0.responses[Self.key(url)] = script }
    }

    /// Ends requests for an address with an error and no response.
    public func fail(_ url: String, with error: DataLoadingError) { respond(to: url, with: .failure(error)) }

    /// Lets the test send the events of an address's transfers; see ``waitForRequest(_:number:)``.
    public func respondByHand(to url: String) {
        state.update { _ = $0.responses.updateValue(nil, forKey: Self.key(url)) }
    }

    /// Holds all events of an address's transfers that start from now on, until ``release(_:)``.
    ///
    /// A held transfer that is cancelled ends.
    public func hold(_ url: String) { state.update { _ = $0.held.insert(Self.key(url)) } }

    /// Delivers the held events of an address, on the calling thread, and stops holding it.
    public func release(_ url: String) {
        state.update { _ = $0.held.remove(Self.key(url)) }
        for transfer in transfers(url) { transfer.release() }
    }

    // MARK: Calls

    /// The calls so far.
    public var record: Record { state.value.record }

    /// Every request, in the order of their starts.
    public var requests: [DataRequest] { record.requests }

    /// Addresses of transfers that were cancelled before their end.
    public var cancelled: [String] { record.cancelled }

    /// All transfers of an address, oldest first.
    public func transfers(_ url: String) -> [ScriptedTransfer] {
        state.value.transfers[Self.key(url), default: []]
    }

    /// Waits for the request of this number (from 1) for an address, and returns its transfer.
    ///
    /// Give the test a time limit: the wait for a request that never comes ends only when the task is cancelled.
    public func waitForRequest(_ url: String, number: Int = 1) async -> ScriptedTransfer {
        let (key, index) = (Self.key(url), max(0, number - 1))
        let transfers = await state.wait { $0.transfers[key, default: []].count > index }.transfers[key, default: []]
        // Only in a cancelled task: this transfer has no receiver.
        return transfers.dropFirst(index).first
            ?? ScriptedTransfer(DataRequest(url: url), isHeld: true, receive: { _ in }, report: { _ in })
    }

    /// Waits until the record satisfies a condition, and returns it as it then was.
    ///
    /// The condition must not use the loader.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable (Record) -> Bool) async -> Record {
        await state.wait { isReached($0.record) }.record
    }

    /// Returns an address in the way that the pipeline writes it.
    fileprivate static func key(_ url: String) -> String { WebAddress.normalized(url) ?? url }

    // MARK: DataLoading

    /// Starts a transfer. Scripted events that are not held are delivered before this returns.
    public func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let key = Self.key(request.url)
        let (transfer, response) = state.update { [state] now in
            let transfer = ScriptedTransfer(
                request, isHeld: now.held.contains(key), receive: receive,
                report: { change in state.update { change(&$0.record) } })
            now.record.requests.append(request)
            now.record.active += 1
            now.record.peak = max(now.record.peak, now.record.active)
            now.transfers[key, default: []].append(transfer)
            let none = DataLoadingError(.status(404), "the script has no response for this address")
            return (transfer, now.responses[key, default: .failure(none)])
        }
        if let response { transfer.play(response) }
        return transfer
    }

    /// The calls of a loader so far. Addresses are in the order of the calls.
    public struct Record: Sendable {
        /// Every request, in the order of their starts.
        public internal(set) var requests: [DataRequest] = []
        /// Addresses of transfers that were cancelled before their end.
        public internal(set) var cancelled: [String] = []
        /// Addresses of calls of `pause`, one entry for each call.
        public internal(set) var paused: [String] = []
        /// Addresses of calls of `resume`, one entry for each call.
        public internal(set) var resumed: [String] = []
        /// The priorities that running transfers received, in order.
        public internal(set) var priorities: [DataPriority] = []
        /// Addresses of transfers whose `end` was delivered.
        public internal(set) var ended: [String] = []
        /// The largest number of transfers at one time.
        public internal(set) var peak = 0

        /// The number of running transfers.
        public internal(set) var active = 0

        /// The number of requests for an address.
        public func count(_ url: String) -> Int {
            let key = ScriptedLoader.key(url)
            return requests.count { $0.url == url || ScriptedLoader.key($0.url) == key }
        }
    }
}

/// The response of a ``ScriptedLoader``: the events of one transfer, in order.
public struct LoadScript: Sendable {
    /// The events up to the end.
    public var events: [DataEvent]
    /// The end of the transfer; `nil` for a body that arrived completely.
    public var end: DataLoadingError?

    /// Creates a script of `events` (`response` and `chunk` only), then the end.
    public init(_ events: [DataEvent], end: DataLoadingError? = nil) {
        self.events = events
        self.end = end
    }

    /// Creates a response with a body.
    ///
    /// - Parameters:
    ///   - body: all bytes of the body; `expectedLength` of the response is their number.
    ///   - headers: header fields of the response. Default: none.
    ///   - status: HTTP status. Default: 200; `nil` for a source without one.
    ///   - chunkSize: length of a chunk in bytes. Default: the body is one chunk. An empty body has none.
    ///   - end: the end of the transfer, for a body that ends early. Default: complete.
    public static func body(
        _ body: Data, headers: HTTPHeaderFields = HTTPHeaderFields(), status: Int? = 200, chunkSize: Int = .max,
        end: DataLoadingError? = nil
    ) -> LoadScript {
        let response = DataResponse(url: "", status: status, headers: headers, expectedLength: body.count)
        var events: [DataEvent] = [.response(response)]
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(max(1, chunkSize))
            events.append(.chunk(Data(chunk)))
            rest = rest.dropFirst(chunk.count)
        }
        return LoadScript(events, end: end)
    }

    /// Creates an error without a response.
    public static func failure(_ error: DataLoadingError) -> LoadScript { LoadScript([], end: error) }
}
