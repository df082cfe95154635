import FirnCache
import FirnData
import FirnHTTP
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

/// Tests the cache over a source and a store, with a clock set by hand, on the caller's thread.
@Suite struct HTTPCacheTests {
    typealias Response = RespondingLoader.Response

    final class Rig: Sendable {
        let source: RespondingLoader
        let cache: HTTPCache
        let files = InMemoryFileSystem()
        private let seconds = Locked<Int64>(Caching.start)

        init(
            _ policy: HTTPCachePolicy = HTTPCachePolicy(),
            _ response: @escaping @Sendable (DataRequest, Int) -> Response
        ) {
            source = RespondingLoader(response)
            let seconds = seconds
            let now: @Sendable () -> Duration = { .seconds(seconds.withLock { $0 }) }
            cache = HTTPCache(
                loader: source, store: DataCache(directory: "/c", fileSystem: files, now: now), policy: policy,
                undoesCodings: false, now: now
            ) { $0() }
        }

        func wait(_ time: Int64) { seconds.withLock { $0 += time } }

        struct Result: Equatable {
            var status: Int?
            var headers = HTTPHeaderFields()
            var body = ""
            var error: DataLoadingError?
            var ends = 0
        }

        func load(_ request: DataRequest = Caching.get()) -> Result {
            let result = Locked(Result())
            _ = cache.startLoading(request) { event in
                result.withLock { result in
                    switch event {
                    case .response(let response):
                        result.status = response.status
                        result.headers = response.headers
                    case .chunk(let data): result.body += String(decoding: data, as: UTF8.self)
                    case .end(let error):
                        result.error = error
                        result.ends += 1
                    }
                }
            }
            return result.withLock { $0 }
        }

        func load(_ headers: HTTPHeaderFields) -> Result { load(Caching.get(headers)) }
    }

    private static func fresh(_ body: String = "one", _ headers: HTTPHeaderFields = HTTPHeaderFields()) -> Response {
        var headers = headers
        if headers["Cache-Control"] == nil { headers.append("Cache-Control", "max-age=60") }
        return Response(headers: headers, body: body)
    }

    @Test func `4 A fresh response serves without the source, with its age and all its fields`() {
        let rig = Rig { _, _ in Self.fresh("one", ["A": "1", "Set-Cookie": "x", "Connection": "B", "B": "2"]) }
        let first = rig.load()
        #expect(first.body == "one" && first.headers["Age"] == nil && first.headers["B"] == nil)
        rig.wait(7)
        let second = rig.load()
        #expect(second.status == 200 && second.body == "one" && second.ends == 1)
        #expect(second.headers["Age"] == "7" && second.headers["A"] == "1" && second.headers["Set-Cookie"] == "x")
        #expect(rig.source.requests.count == 1)
    }

    @Test func `The chunk that completes a body arrives after the response is stored`() {
        let rig = Rig { _, number in Self.fresh("\(number)", ["Content-Length": "1"]) }
        let next = Locked(Rig.Result())
        _ = rig.cache.startLoading(Caching.get()) { event in
            guard case .chunk = event else { return }
            let loaded = rig.load()
            next.withLock { $0 = loaded }
        }
        #expect(next.withLock { $0.body } == "0")
        #expect(rig.source.requests.count == 1)
    }

    @Test func `4_3 A stale response is checked, and serves with renewed fields if it still holds (F15)`() {
        let rig = Rig { request, number in
            guard request.headers["If-None-Match"] == "\"a\"" else {
                return Self.fresh("one", ["ETag": "\"a\"", "A": "1"])
            }
            return Response(status: 304, headers: ["ETag": "\"a\"", "A": "2", "Cache-Control": "max-age=100"])
        }
        _ = rig.load()
        rig.wait(61)
        let checked = rig.load()
        #expect(checked.status == 200 && checked.body == "one" && checked.headers["A"] == "2" && checked.ends == 1)
        rig.wait(30)
        #expect(rig.load().headers["A"] == "2")
        #expect(rig.source.requests.count == 2)
    }

    @Test(arguments: ["POST", "PUT", "DELETE"])
    func `4_4 A response that was requested before a change is not stored after it`(method: String) {
        let rig = Rig { request, number in
            request.method == "GET" ? Self.fresh("\(number)") : Response(status: 200)
        }
        rig.source.hold()
        _ = rig.cache.startLoading(Caching.get()) { _ in }
        let release = rig.source.takeHeld()
        _ = rig.load(Caching.get(method: method))
        release()
        #expect(rig.load().body == "2")
        #expect(rig.load().body == "2")
    }

    @Test func `RFC 9110 §9_3_3 A response to POST that is what GET gives serves GET and HEAD`() {
        let rig = Rig { request, number in
            request.method == "POST" ? Self.fresh("\(number)", ["Content-Location": "/x"]) : Self.fresh("\(number)")
        }
        #expect(rig.load().body == "0")
        #expect(rig.load(Caching.get(method: "POST")).body == "1")
        let read = rig.load()
        #expect(read.body == "1" && read.headers["Age"] != nil)
        let head = rig.load(Caching.get(method: "HEAD"))
        #expect(head.status == 200 && head.body.isEmpty)
        // No POST is served from the store.
        #expect(rig.load(Caching.get(method: "POST")).body == "2")
        #expect(rig.load().body == "2" && rig.source.requests.count == 3)
    }

    @Test func `4_4 A response to POST that was requested before another change is not stored after it`() {
        let rig = Rig { request, number in
            request.method == "POST" ? Self.fresh("\(number)", ["Content-Location": "/x"]) : Self.fresh("\(number)")
        }
        rig.source.hold()
        _ = rig.cache.startLoading(Caching.get(method: "POST")) { _ in }
        let release = rig.source.takeHeld()
        _ = rig.load(Caching.get(method: "PUT"))
        release()
        #expect(rig.load().body == "2")
    }

    @Test func `4_4 A confirmation that was requested before a change renews nothing after it`() {
        let rig = Rig { request, number in
            if request.method != "GET" { return Response(status: 200) }
            if request.headers["If-None-Match"] != nil {
                return Response(status: 304, headers: ["ETag": "\"a\"", "Cache-Control": "max-age=60"])
            }
            return Self.fresh("\(number)", ["ETag": "\"a\""])
        }
        _ = rig.load()
        rig.wait(61)
        rig.source.hold()
        _ = rig.cache.startLoading(Caching.get()) { _ in }
        let release = rig.source.takeHeld()
        _ = rig.load(Caching.get(method: "POST"))
        release()
        #expect(rig.load().body == "3")
    }

    @Test func `4_3_3 A new response takes the place of the old one`() {
        let rig = Rig { _, number in Self.fresh("\(number)", ["ETag": "\"\(number)\""]) }
        #expect(rig.load().body == "0")
        rig.wait(61)
        #expect(rig.load().body == "1")
        rig.wait(1)
        #expect(rig.load().body == "1")
        #expect(rig.source.requests.count == 2)
    }

    @Test func `4_3_4 A confirmation of another body is asked about again, without conditions`() {
        let rig = Rig { request, number in
            if request.headers["If-None-Match"] != nil { return Response(status: 304, headers: ["ETag": "\"other\""]) }
            return Self.fresh("\(number)", ["ETag": "\"a\""])
        }
        _ = rig.load()
        rig.wait(61)
        let second = rig.load()
        #expect(second.status == 200 && second.body == "2" && second.ends == 1)
    }

    @Test func `4_3_2 A conditional request is served from a stored response`() {
        let rig = Rig { request, _ in
            request.headers["If-None-Match"] == "\"a\"" ? Response(status: 304) : Self.fresh("one", ["ETag": "\"a\""])
        }
        _ = rig.load()
        let known = rig.load(["If-None-Match": "\"a\""])
        #expect(known.status == 304 && known.body.isEmpty && known.headers["ETag"] == "\"a\"")
        #expect(rig.load(["If-None-Match": "\"b\""]).body == "one")
        #expect(rig.source.requests.count == 1)
        rig.wait(61)
        // The cache revalidates with its own condition; the client already has the confirmed version.
        #expect(rig.load(["If-None-Match": "\"b\", \"a\""]).status == 304)
        #expect(rig.source.requests.last?.headers.values("If-None-Match") == ["\"a\""])
    }

    @Test func `4_1 Responses for different requests are kept side by side`() {
        let rig = Rig { request, number in Self.fresh("\(request.headers["Foo"] ?? "-")", ["Vary": "Foo"]) }
        #expect(rig.load(["Foo": "1"]).body == "1")
        #expect(rig.load(["Foo": "2"]).body == "2")
        #expect(rig.load().body == "-")
        #expect(rig.source.requests.count == 3)
        #expect(rig.load(["Foo": "1"]).body == "1")
        #expect(rig.load(["Foo": "2"]).body == "2")
        #expect(rig.load().body == "-")
        #expect(rig.source.requests.count == 3)
    }

    @Test func `4_1 Of many variants the oldest give way, and nothing of them stays behind`() {
        let rig = Rig { request, _ in Self.fresh(request.headers["Foo"] ?? "", ["Vary": "Foo"]) }
        for number in 0..<40 { _ = rig.load(["Foo": "\(number)"]) }
        #expect(rig.files.files.keys.count == 17)
        #expect(rig.load(["Foo": "39"]).headers["Age"] != nil)
        #expect(rig.load(["Foo": "0"]).headers["Age"] == nil)
    }

    @Test func `4_4 A change makes all variants forgotten`() {
        let rig = Rig { request, number in Self.fresh("\(number)", ["Vary": "Foo"]) }
        _ = rig.load(["Foo": "1"])
        _ = rig.load(["Foo": "2"])
        #expect(rig.load(DataRequest(url: Caching.url, method: "POST", body: Data("x".utf8))).body == "2")
        #expect(rig.files.files.isEmpty)
        #expect(rig.load(["Foo": "1"]).body == "3")
        #expect(rig.load(["Foo": "2"]).body == "4")
    }

    @Test func `4_4 A change that failed makes nothing forgotten`() {
        let rig = Rig { request, number in
            request.method == "GET" ? Self.fresh("\(number)") : Response(status: 500)
        }
        _ = rig.load()
        #expect(rig.load(DataRequest(url: Caching.url, method: "DELETE")).status == 500)
        #expect(rig.load().body == "0")
    }

    @Test func `5_2_1_7 only-if-cached contacts no server`() {
        let rig = Rig { _, number in Self.fresh("\(number)") }
        let nothing = rig.load(["Cache-Control": "only-if-cached"])
        #expect(nothing.status == 504 && nothing.body.isEmpty && nothing.ends == 1 && rig.source.requests.isEmpty)
        _ = rig.load()
        #expect(rig.load(["Cache-Control": "only-if-cached"]).body == "0")
        rig.wait(61)
        #expect(rig.load(["Cache-Control": "only-if-cached"]).status == 504)
        #expect(rig.load(["Cache-Control": "only-if-cached, max-stale"]).body == "0")
    }

    @Test func `5_2_2_5 No byte of a no-store response reaches the store`() {
        let rig = Rig { _, number in Self.fresh("\(number)", ["Cache-Control": "no-store, max-age=60"]) }
        #expect(rig.load().body == "0")
        #expect(rig.load().body == "1")
        #expect(rig.files.files.isEmpty)
    }

    @Test func `RFC 5861 §3 A stale response serves at once while it is checked, once`() {
        let rig = Rig { _, number in
            Self.fresh(
                "\(number)", ["Cache-Control": "max-age=60, stale-while-revalidate=60", "ETag": "\"\(number)\""])
        }
        _ = rig.load()
        rig.wait(61)
        #expect(rig.load().body == "0")
        #expect(rig.source.requests.count == 2)
        #expect(rig.source.requests.last?.headers["If-None-Match"] == "\"0\"")
        #expect(rig.load().body == "1")
        #expect(rig.source.requests.count == 2)
    }

    @Test(arguments: [500, 502, 503, 504])
    func `RFC 5861 §4 A stale response serves if its source fails`(status: Int) {
        let rig = Rig { _, number in
            switch number {
            case 0: Self.fresh("one")
            case 1: Response(status: status, body: "sorry")
            default: RespondingLoader.refused
            }
        }
        _ = rig.load()
        rig.wait(61)
        for _ in 0..<2 {
            let stale = rig.load()
            #expect(stale.status == 200 && stale.body == "one" && stale.error == nil && stale.ends == 1)
            #expect(stale.headers["Age"] == "61")
        }
        #expect(rig.source.requests.count == 3)
    }

    @Test func `5_2_2_2 The failure is reported if a stale response must not serve`() {
        let rig = Rig { _, number in
            switch number {
            case 0: Self.fresh("one", ["Cache-Control": "max-age=60, must-revalidate"])
            case 1: Response(status: 503, body: "sorry")
            default: RespondingLoader.refused
            }
        }
        _ = rig.load()
        rig.wait(61)
        #expect(rig.load().body == "sorry")
        #expect(rig.load().error?.cause == .connection)
    }

    @Test func `A body that breaks off is not kept`() {
        let rig = Rig { _, number in
            var response = Self.fresh("\(number)")
            if number == 0 { response.end = DataLoadingError(.truncated, "cut") }
            return response
        }
        #expect(rig.load().error?.cause == .truncated)
        #expect(rig.load().body == "1")
    }

    @Test func `RFC 9110 §14 Ranges are cut from what is kept whole`() {
        let rig = Rig { _, _ in Self.fresh("0123456789", ["ETag": "\"a\""]) }
        _ = rig.load()
        let part = rig.load(["Range": "bytes=2-4"])
        #expect(part.status == 206 && part.body == "234")
        #expect(part.headers["Content-Range"] == "bytes 2-4/10" && part.headers["Content-Length"] == "3")
        #expect(rig.source.requests.count == 1)
        _ = rig.load(["Range": "bytes=90-"])
        #expect(rig.source.requests.last?.headers["Range"] == "bytes=90-")
    }

    @Test(arguments: [404, 410, 403])
    func `4_3_3 A removed response does not come back when its source fails`(status: Int) {
        let rig = Rig { _, number in
            switch number {
            case 0: Self.fresh("one", ["ETag": "\"a\""])
            case 1: Response(status: status, body: "gone")
            default: Response(status: 500, body: "sorry")
            }
        }
        _ = rig.load()
        rig.wait(61)
        #expect(rig.load().status == status)
        #expect(rig.files.files.isEmpty)
        #expect(rig.load().status == 500)
    }

    @Test func `4_3_3 A newer response that may not be kept makes the older one forgotten`() {
        let rig = Rig { _, number in
            number == 0 ? Self.fresh("one") : Self.fresh("\(number)", ["Cache-Control": "no-store"])
        }
        _ = rig.load()
        rig.wait(61)
        #expect(rig.load().body == "1")
        #expect(rig.files.files.isEmpty)
    }

    @Test(arguments: [501, 505, 599])
    func `RFC 5861 §4 No other failure brings a stale response back`(status: Int) {
        let rig = Rig { _, number in number == 0 ? Self.fresh("one") : Response(status: status, body: "sorry") }
        _ = rig.load()
        rig.wait(61)
        #expect(rig.load().status == status)
    }

    @Test func `4_3_5 HEAD is served by a kept GET without its body, and renews it`() {
        let rig = Rig { request, number in
            request.method == "HEAD"
                ? Response(headers: ["A": "2", "Cache-Control": "max-age=1000"]) : Self.fresh("one", ["A": "1"])
        }
        _ = rig.load()
        let head = rig.load(Caching.get(method: "HEAD"))
        #expect(head.status == 200 && head.body.isEmpty && head.headers["A"] == "1")
        rig.wait(61)
        #expect(rig.load(Caching.get(method: "HEAD")).headers["A"] == "2")
        #expect(rig.load().headers["A"] == "2")
        #expect(rig.source.requests.map(\.method) == ["GET", "HEAD"])
    }

    @Test func `Any method and body passes unchanged, without the fields of the client's connection`() {
        let rig = Rig { _, _ in Response(status: 201) }
        let body = Data("<x/>".utf8)
        let request = DataRequest(
            url: Caching.url, method: "PROPFIND",
            headers: ["Depth": "1", "Connection": "Keep-Alive, X", "X": "1", "TE": "gzip"],
            body: body)
        #expect(rig.load(request).status == 201)
        let sent = rig.source.requests.first
        #expect(sent?.method == "PROPFIND" && sent?.body == body && sent?.headers == ["Depth": "1"])
    }

    @Test func `A transfer that is cancelled ends once`() {
        let rig = Rig { _, _ in Self.fresh() }
        _ = rig.load()
        let ends = Locked(0)
        let transfer = rig.cache.startLoading(Caching.get()) { event in
            if case .end = event { ends.withLock { $0 += 1 } }
        }
        transfer.cancel()
        transfer.resume()
        #expect(ends.withLock { $0 } == 1)
    }

    @Test func `A paused transfer delivers nothing from the cache until it resumes`() {
        let rig = Rig { _, _ in Self.fresh() }
        _ = rig.load()
        let events = Locked(0)
        let held = Locked<[@Sendable () -> Void]>([])
        let cache = HTTPCache(
            loader: rig.source, store: DataCache(directory: "/c", fileSystem: rig.files), policy: rig.cache.policy,
            undoesCodings: false, now: { .seconds(Caching.start) }
        ) { work in held.withLock { $0.append(work) } }
        let transfer = cache.startLoading(Caching.get()) { _ in events.withLock { $0 += 1 } }
        transfer.pause()
        func runAll() { while let work = held.withLock({ $0.popLast() }) { work() } }
        runAll()
        #expect(events.withLock { $0 } == 0)
        transfer.resume()
        runAll()
        #expect(events.withLock { $0 } == 3)
    }

    @Test func `A store that fails makes misses, not failed loads`() {
        let rig = Rig { _, number in Self.fresh("\(number)") }
        _ = rig.load()
        rig.files.fail(FileFault(.read, code: 5, persists: true))
        #expect(rig.load().body == "1")
    }
}
