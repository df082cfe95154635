public import FirnData
public import FoundationEssentials

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
