public import FirnData
public import FoundationEssentials

/// What a ``ScriptedLoader`` answers: the events of one transfer, in order.
public struct LoadScript: Sendable {
    /// The events up to the end.
    public var events: [DataEvent]
    /// How the transfer ends; `nil` for a body that arrived whole.
    public var end: DataLoadingError?

    /// A script of `events` (`response` and `chunk` only), then the end.
    public init(_ events: [DataEvent], end: DataLoadingError? = nil) {
        self.events = events
        self.end = end
    }

    /// A response with a body.
    ///
    /// - Parameters:
    ///   - body: all bytes of the body; `expectedLength` of the response is their number.
    ///   - headers: header fields of the response.
    ///   - status: HTTP status; 200 by default, `nil` for a source that has none.
    ///   - chunkSize: length of a chunk in bytes; by default the body is one chunk. An empty body has none.
    ///   - end: how the transfer ends, for a body that breaks off.
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

    /// No response, only an error.
    public static func failure(_ error: DataLoadingError) -> LoadScript { LoadScript([], end: error) }
}
