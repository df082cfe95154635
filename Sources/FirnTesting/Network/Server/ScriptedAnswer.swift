public import FirnData
public import FoundationEssentials

/// What a ``ScriptedServer`` does with one request, right or wrong.
public struct ScriptedAnswer: Sendable {
    /// A step of an answer.
    public enum Step: Sendable {
        /// Sends bytes of the body.
        case bytes(Data)
        /// Sends bytes as they are, whatever the framing.
        case raw(Data)
        /// Sends bytes as they are, one at a time, with a pause behind each. Stops if the client leaves.
        case drip(Data, pause: Duration)
        /// Sends the same bytes over and over until the client leaves.
        case endless(Data)
        /// Goes on when the gate is open. Stops if the client leaves.
        case hold(Gate)
        /// Does nothing more until the client leaves.
        case stall
        /// Closes the connection in good order, whatever was announced.
        case cut
        /// Breaks the connection off (TCP reset).
        case reset
    }

    /// How the end of the body is told.
    public enum Framing: Hashable, Sendable {
        /// `Content-Length` with the number of scripted bytes.
        case length
        /// `Content-Length` with another number.
        case statedLength(Int)
        /// `Transfer-Encoding: chunked`, a chunk for each ``Step/bytes(_:)``.
        case chunked
        /// Neither: the body ends with the connection.
        case untilClose
    }

    /// The status.
    public var status = 200
    /// The words behind the status.
    public var reason = "OK"
    /// Header fields, besides those of the framing.
    public var headers = HTTPHeaderFields()
    /// How the end of the body is told.
    public var framing = Framing.length
    /// Whether status and header fields are sent; without, the steps alone are the answer, right or wrong.
    public var hasHead = true
    /// Steps before the first byte of the answer.
    public var beforeHead: [Step] = []
    /// The body, and what happens in it.
    public var body: [Step] = []
    /// A file to answer from, in place of all of the above.
    public var file: ServedFile?

    /// An empty 200 answer.
    public init() {}

    /// A 200 answer with a body.
    public static func body(_ data: Data, headers: HTTPHeaderFields = HTTPHeaderFields()) -> ScriptedAnswer {
        steps([.bytes(data)], headers: headers)
    }

    /// A 200 answer with a scripted body.
    public static func steps(
        _ steps: [Step], framing: Framing = .length, headers: HTTPHeaderFields = HTTPHeaderFields()
    ) -> ScriptedAnswer {
        var answer = ScriptedAnswer()
        answer.body = steps
        answer.framing = framing
        answer.headers = headers
        return answer
    }

    /// An answer that is these bytes and nothing else; then the connection is closed.
    public static func raw(_ text: String) -> ScriptedAnswer {
        var answer = steps([.raw(Data(text.utf8)), .cut], framing: .untilClose)
        answer.hasHead = false
        return answer
    }

    /// An answer with a status and a short body.
    public static func status(_ status: Int, _ reason: String, body: Data = Data()) -> ScriptedAnswer {
        var answer = ScriptedAnswer.body(body)
        answer.status = status
        answer.reason = reason
        return answer
    }

    /// A file, of which a client may ask for the rest.
    public static func file(_ file: ServedFile) -> ScriptedAnswer {
        var answer = ScriptedAnswer()
        answer.file = file
        return answer
    }

    /// A redirect.
    public static func redirect(to location: String, status: Int = 302) -> ScriptedAnswer {
        var answer = ScriptedAnswer.status(status, "Redirect")
        answer.headers["Location"] = location
        return answer
    }

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
