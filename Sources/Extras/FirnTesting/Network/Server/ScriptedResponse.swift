/// The scripted response of a ``ScriptedServer`` to one request, correct or faulty.
public struct ScriptedResponse: Sendable {
    /// A step of a response.
    public enum Step: Sendable {
        /// Sends bytes of the body.
        case bytes(Data)
        /// Sends bytes unchanged, whatever the framing.
        case raw(Data)
        /// Sends bytes unchanged, one at a time, with a pause after each. Stops if the client disconnects.
        case drip(Data, pause: Duration)
        /// Sends the same bytes repeatedly until the client disconnects.
        case endless(Data)
        /// Continues when the gate is open. Stops if the client disconnects.
        case hold(Gate)
        /// Does nothing more until the client disconnects.
        case stall
        /// Closes the connection normally, whatever length was stated.
        case cut
        /// Resets the connection (TCP reset).
        case reset
    }

    /// The signal for the end of the body.
    public enum Framing: Hashable, Sendable {
        /// `Content-Length` with the number of scripted bytes.
        case length
        /// `Content-Length` with another number.
        case statedLength(Int)
        /// `Transfer-Encoding: chunked`, a chunk for each ``Step/bytes(_:)``.
        case chunked
        /// Neither: the end of the connection ends the body.
        case untilClose
    }

    /// The status.
    public var status = 200
    /// The reason phrase after the status.
    public var reason = "OK"
    /// Header fields in addition to those of the framing.
    public var headers = HTTPHeaderFields()
    /// The signal for the end of the body.
    public var framing = Framing.length
    /// True if status and header fields are sent. Without them, the steps alone are the response.
    public var hasHead = true
    /// Steps before the first byte of the response.
    public var beforeHead: [Step] = []
    /// The body and its faults, step by step.
    public var body: [Step]
    /// Computes the response from the header fields of the request, instead of all of the above.
    package var computed: (@Sendable (HTTPHeaderFields) -> ScriptedResponse)?

    var head: Data {
        guard hasHead else { return Data() }
        var text = "HTTP/1.1 \(status) \(reason)\r\n"
        for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
        switch framing {
        case .length: text += "Content-Length: \(bodyCount)\r\n"
        case .statedLength(let length): text += "Content-Length: \(length)\r\n"
        case .chunked: text += "Transfer-Encoding: chunked\r\n"
        case .untilClose: text += "Connection: close\r\n"
        }
        return Data((text + "\r\n").utf8)
    }

    private var bodyCount: Int {
        body.reduce(0) { sum, step in
            if case .bytes(let data) = step { sum + data.count } else { sum }
        }
    }
}

extension ScriptedResponse {
    /// Creates an empty response with status 200.
    public init() { self.init(body: []) }

    /// Creates a response with status 200 and a body.
    public static func body(_ data: Data, headers: HTTPHeaderFields = HTTPHeaderFields()) -> ScriptedResponse {
        ScriptedResponse(headers: headers, body: [.bytes(data)])
    }

    /// Creates a response with status 200 and a scripted body.
    public static func steps(
        _ steps: [Step], framing: Framing = .length, headers: HTTPHeaderFields = HTTPHeaderFields()
    ) -> ScriptedResponse { ScriptedResponse(headers: headers, framing: framing, body: steps) }

    /// Creates a response of exactly these bytes; the connection is then closed.
    public static func raw(_ text: String) -> ScriptedResponse {
        ScriptedResponse(framing: .untilClose, hasHead: false, body: [.raw(Data(text.utf8)), .cut])
    }

    /// Creates a response with a status and a short body.
    public static func status(_ status: Int, _ reason: String, body: Data = Data()) -> ScriptedResponse {
        ScriptedResponse(status: status, reason: reason, body: [.bytes(body)])
    }

    /// Creates a redirect.
    public static func redirect(to location: String, status: Int = 302) -> ScriptedResponse {
        ScriptedResponse(status: status, reason: "Redirect", headers: ["Location": location], body: [.bytes(Data())])
    }
}
