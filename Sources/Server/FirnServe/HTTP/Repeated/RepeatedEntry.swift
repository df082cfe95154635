import HTTPTypes
import NIOCore

/// The response to a request that is known by its bytes: a head that lacks what each response has of its own.
final class RepeatedEntry: Sendable {
    let condition: ResponseCondition
    let language: RequestLanguage
    /// The source as the log names it.
    let source: String?
    /// True if the response has a body; one to HEAD has none.
    let hasBody: Bool
    /// The status line and all fields but the date and the name of the request.
    private let start: ByteBuffer

    init(_ response: ResultResponse, hasBody: Bool) {
        condition = response.known.condition
        language = response.language
        source = response.known.source
        self.hasBody = hasBody
        var start = ByteBuffer(string: "HTTP/1.1 200 OK\r\n")
        for field in response.allHeaders {
            start.writeString(field.name.rawName)
            start.writeStaticString(": ")
            start.writeString(field.value)
            start.writeStaticString("\r\n")
        }
        self.start = start
    }

    /// Returns a head.
    func head(date: String, name: String) -> ByteBuffer {
        var head = ByteBufferAllocator().buffer(capacity: start.readableBytes + 96)
        head.writeImmutableBuffer(start)
        head.writeStaticString("Date: ")
        head.writeString(date)
        head.writeStaticString("\r\nX-Request-ID: ")
        head.writeString(name)
        head.writeStaticString("\r\n\r\n")
        return head
    }
}

/// The bytes of a response.
struct RepeatedResponse {
    let head: ByteBuffer
    /// `nil` if the response has none.
    let body: ByteBuffer?
}
