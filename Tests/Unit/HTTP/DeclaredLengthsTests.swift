import FirnHTTP
import Testing

/// Tests lengths that are stated several times (RFC 9110 §8.6).
@Suite struct DeclaredLengthsTests {
    private func mended(_ fields: String) -> String? {
        DeclaredLengths.mended(Array("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test(arguments: [
        "Content-Length: 42\r\nContent-Length: 42", "content-length:42\r\nCONTENT-LENGTH: 42 ",
        "Content-Length: 42, 42",
        "Content-Length: 42,42\r\nContent-Length: 42",
    ])
    func `Equal fields become one, at the place of the first`(fields: String) {
        #expect(mended("A: 1\r\n\(fields)\r\nB: 2") == "HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 42\r\nB: 2\r\n\r\n")
    }

    @Test(arguments: [
        "Content-Length: 42", "A: 1", "Content-Length: 42\r\nContent-Length: 43", "Content-Length: 42, 43",
        "Content-Length: 42\r\nContent-Length: 042", "Content-Length: -1\r\nContent-Length: -1",
        "Content-Length: 42,\r\nContent-Length: 42", "Content-Length:\r\nContent-Length:",
        "X-Content-Length: 1\r\nX-Content-Length: 1",
    ])
    func `Anything else stays as it is`(fields: String) {
        #expect(mended(fields) == nil)
    }

    @Test func `Lines may end without a carriage return`() {
        let head = Array("HTTP/1.1 200 OK\nContent-Length: 1\nContent-Length: 1\n\n".utf8)
        #expect(
            DeclaredLengths.mended(head).map { String(decoding: $0, as: UTF8.self) }
                == "HTTP/1.1 200 OK\nContent-Length: 1\n\n")
    }
}
