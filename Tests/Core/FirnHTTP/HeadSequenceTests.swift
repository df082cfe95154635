import FirnData
import FirnHTTP
import Testing

@Suite struct `Heads of responses` {
    private func take(_ text: String, _ heads: inout HeadSequence) throws(DataLoadingError) -> HeadSequence.Head? {
        try take(Array(text.utf8), &heads)
    }

    private func take(_ bytes: [UInt8], _ heads: inout HeadSequence) throws(DataLoadingError) -> HeadSequence.Head? {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(DataLoadingError) in try heads.take(bytes) }
        }
        return try result.get()
    }

    private func head(_ fields: String, status: String = "200 OK") throws -> HeadSequence.Head {
        var heads = HeadSequence()
        return try #require(try take("HTTP/1.1 \(status)\r\n\(fields)\r\n\r\n", &heads))
    }

    private func failure(_ fields: String, status: String = "200 OK") -> String? {
        do throws(DataLoadingError) {
            var heads = HeadSequence()
            _ = try take("HTTP/1.1 \(status)\r\n\(fields)\r\n\r\n", &heads)
            return nil
        } catch { return error.message }
    }

    @Test func `Status, reason and fields are read`() throws {
        let head = try head("A: 1\r\nb:two  \r\nC:\r\nA:\t3", status: "404 Not here")
        #expect(head.status == 404 && head.reason == "Not here")
        #expect(head.headers == ["A": "1", "b": "two", "C": "", "A": "3"])
        #expect(try self.head("A: 1", status: "200").reason == "")
    }

    @Test func `Lines may end without a carriage return`() throws {
        var heads = HeadSequence()
        let head = try take("HTTP/1.1 200 OK\nContent-Length: 1\nA: b\n\n", &heads)
        #expect(head?.headers == ["Content-Length": "1", "A": "b"])
    }

    @Test func `A continued line belongs to its field`() throws {
        #expect(try head("A: 1\r\n 2\r\n\t3\r\nB: 4").headers == ["A": "1 2 3", "B": "4"])
        #expect(failure(" 2") == "the response is not HTTP: a field has no name")
    }

    @Test(arguments: [
        "Content-Length: 42", "Content-Length: 42\r\nContent-Length: 42", "content-length:42\r\nCONTENT-LENGTH: 42 ",
        "Content-Length: 42, 42", "Content-Length: 42,42\r\nContent-Length: 42", "X-Content-Length: 1\r\nA: b",
        "Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Transfer-Encoding: abc",
    ])
    func `Equal Content-Length fields count as one`(fields: String) {
        #expect(failure(fields) == nil)
    }

    @Test(arguments: [
        "Content-Length: 42\r\nContent-Length: 43", "Content-Length: 42, 43",
        "Content-Length: 42\r\nContent-Length: 042",
        "Content-Length: -1", "Content-Length: 5x", "Content-Length: 99999999999999999999999",
        "no colon", ": x",
    ])
    func `Invalid header fields are an error`(fields: String) {
        #expect(failure(fields)?.hasPrefix("the response is not HTTP: ") == true)
    }

    @Test(arguments: ["5", "5\r\nContent-Length: 6", "5x"])
    func `A length beside a transfer coding is ignored, and ends the connection`(length: String) throws {
        let both = try head("Content-Length: \(length)\r\nTransfer-Encoding: chunked")
        #expect(both.endsConnection && both.headers == ["Transfer-Encoding": "chunked"])
        #expect(try !head("Transfer-Encoding: chunked").endsConnection && !head("Content-Length: 5").endsConnection)
    }

    @Test(arguments: ["000", "001", "099", "20", "2000", "-20", "abc", ""])
    func `A status that HTTP does not have fails`(status: String) {
        #expect(failure("A: b", status: "\(status) X")?.hasPrefix("the response is not HTTP: ") == true)
    }

    @Test func `A change of the protocol fails`() {
        #expect(failure("A: b", status: "101 X") == "the server changes the protocol, which was not asked for")
    }

    @Test func `Interim responses are dropped, up to a hundred of them`() throws {
        var heads = HeadSequence()
        for _ in 0..<HeadSequence.interimLimit { #expect(try take("HTTP/1.1 103 Hints\r\n\r\n", &heads) == nil) }
        #expect(!heads.isComplete)
        var others = heads
        #expect(try take("HTTP/2 204 \r\n\r\n", &heads)?.status == 204)
        #expect(heads.isComplete)
        #expect(throws: DataLoadingError.self) { try take("HTTP/1.1 100 Continue\r\n\r\n", &others) }
    }

    @Test func `A head that was too long is an error`() {
        var heads = HeadSequence()
        #expect(throws: DataLoadingError(.other, "the header of the response is too long")) { try take("", &heads) }
    }

    @Test func `A target in Latin-1 is encoded byte for byte, as browsers do`() throws {
        var heads = HeadSequence()
        let bytes =
            Array("HTTP/1.1 302 Found\r\nLocation: /caf".utf8) + [0xE9] + Array("?x=".utf8) + [0xFC, 13, 10, 13, 10]
        #expect(try take(bytes, &heads)?.headers["Location"] == "/caf%E9?x=%FC")
        #expect(try head("Location: /café").headers["Location"] == "/café")
    }
}
