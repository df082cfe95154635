import FirnData
import FirnHTTP
import Testing

@Suite struct `Content codings` {
    @Test(arguments: [
        ("gzip", ContentCoding.steps([.gzip])), ("x-gzip", .steps([.gzip])), (" GZip ", .steps([.gzip])),
        ("deflate", .steps([.deflate])), ("", .none), ("identity", .none), ("identity, gzip", .steps([.gzip])),
        ("br", .unknown("br")), ("gzip, gzip", .steps([.gzip, .gzip])), ("deflate, gzip", .steps([.deflate, .gzip])),
        ("gzip, gzip, gzip", .unknown("gzip, gzip, gzip")), ("br, gzip", .unknown("br, gzip")),
        ("utf-8", .none), ("binary", .none), ("aws-chunked", .none), ("image/png", .none), ("8bit", .none),
        ("aws-chunked, gzip", .steps([.gzip])), ("base64, zstd", .unknown("zstd")), ("z\u{1b}[31m\u{e9}", .none),
    ])
    func `A coding is known by its name, whatever its case`(value: String, coding: ContentCoding) {
        #expect(ContentCoding(["Content-Encoding": value]) == coding)
    }

    @Test func `All fields count`() {
        #expect(ContentCoding([:]) == .none)
        let fields: HTTPHeaderFields = ["content-encoding": "br", "Content-Encoding": "gzip"]
        #expect(ContentCoding(fields) == .unknown("br, gzip"))
        let many: HTTPHeaderFields = ["Content-Encoding": String(repeating: "utf-8, ", count: 9999) + "gzip"]
        #expect(ContentCoding(many) == .steps([.gzip]))
    }

    @Test func `Transfer codings are undone before content codings, and always`() {
        let fields: HTTPHeaderFields = ["Transfer-Encoding": "gzip, chunked", "Content-Encoding": "deflate"]
        #expect(ContentCoding(fields) == .steps([.deflate, .gzip]))
        #expect(ContentCoding(fields, decodesContent: false) == .steps([.gzip]))
        #expect(ContentCoding(["Transfer-Encoding": "abc, chunked"]) == .none)
    }

    @Test func `The length of the body is not that of the compressed form`() {
        #expect(ResponsePolicy.bodyLength(["Content-Encoding": "x-gzip", "Content-Length": "7"], method: "GET") == nil)
        #expect(ResponsePolicy.bodyLength(["Content-Encoding": "none", "Content-Length": "7"], method: "GET") == 7)
    }

    @Test(arguments: [("GET", 200, true), ("GET", 304, false), ("HEAD", 200, false)])
    func `An unknown coding is named if there is a body`(method: String, status: Int, isError: Bool) {
        var chain = RedirectChain(limit: 1)
        let request = DataRequest(url: "http://a/x", method: method, headers: ["If-None-Match": "\"a\""])
        let verdict = ResponsePolicy.judge(
            status: status, reason: "", headers: ["Content-Encoding": "br"], request: request, chain: &chain,
            sizeLimit: 1000)
        let message = "the body has the coding \"br\"; up to 2 of gzip and deflate are decoded"
        if isError {
            #expect(verdict == .fail(DataLoadingError(.other, message)))
        } else if case .fail(let error) = verdict {
            Issue.record("\(error)")
        }
    }

    @Test func `The ratio counts from 16 MiB on, and the compressed bytes always`() {
        var meter = ExpansionMeter(limit: 1 << 20, ratio: 100)
        #expect(meter.take(received: 1000) == nil)
        #expect(meter.take(produced: ExpansionMeter.freeBytes) == nil)
        #expect(meter.take(produced: 1)?.cause == .tooLarge(limit: 100_000))
        var fair = ExpansionMeter(limit: 1 << 20, ratio: 100)
        #expect(fair.take(received: 1 << 20) == nil)
        #expect(fair.take(produced: 100 << 20) == nil)
        #expect(fair.take(produced: 1)?.cause == .tooLarge(limit: 100 << 20))
        #expect(fair.take(received: 1)?.cause == .tooLarge(limit: 1 << 20))
        var endless = ExpansionMeter(limit: .max, ratio: .max)
        #expect(endless.take(received: .max) == nil)
        for _ in 0..<3 { #expect(endless.take(produced: .max) == nil) }
    }
}
