import FirnData
import FirnHTTP
import FoundationEssentials
import Testing

@Suite("Redirects")
struct RedirectChainTests {
    private func follow(
        _ url: String, to location: String?, status: Int = 302, method: String = "GET", headers: HTTPHeaderFields = [:]
    ) -> ResponsePolicy.Verdict {
        var chain = RedirectChain(limit: 10)
        return chain.follow(
            DataRequest(url: url, method: method, headers: headers), status: status,
            headers: location.map { ["Location": $0] } ?? [:])
    }

    private func target(_ step: ResponsePolicy.Verdict) -> String? {
        if case .follow(let next) = step { next.url } else { nil }
    }

    private func message(_ step: ResponsePolicy.Verdict) -> String? {
        if case .fail(let error) = step, error.cause == .redirect { error.message } else { nil }
    }

    @Test(arguments: [
        ("http://a/b/c?d", "/e", "http://a/e"),
        ("http://a/b/c", "e?f=1", "http://a/b/e?f=1"),
        ("http://a/b", "//other:81/x", "http://other:81/x"),
        ("https://a/b", "https://c/d#e", "https://c/d#e"),
        ("http://a/b", "https://a/b", "https://a/b"),
    ])
    func `A target is resolved relative to the redirecting address`(from: String, location: String, expected: String) {
        #expect(target(follow(from, to: location)) == expected)
    }

    @Test func `A redirect from https to http is refused`() {
        #expect(
            message(follow("https://a/x", to: "http://a/x"))
                == "a redirect from https to http is refused; allowsInsecureRedirects permits it")
    }

    @Test(arguments: [
        nil, "", "file:///etc/passwd", "ftp://a/x", "http://", "data:image/png;base64,AA",
    ])
    func `A redirect without a target, or to an unsupported scheme, is refused`(location: String?) {
        #expect(message(follow("http://a/x", to: location)) != nil)
    }

    /// Follows redirects, and returns the fields `Cookie` of the requests behind the first.
    private func cookies(
        _ request: DataRequest, _ steps: [(location: String, setCookies: [String])]
    ) -> [String?] {
        var (chain, request, seen) = (RedirectChain(limit: 10), request, [String?]())
        for (location, setCookies) in steps {
            var headers: HTTPHeaderFields = ["Location": location]
            for cookie in setCookies { headers.append("Set-Cookie", cookie) }
            guard case .follow(let next) = chain.follow(request, status: 302, headers: headers) else { return seen }
            request = next
            seen.append(next.headers["Cookie"])
        }
        return seen
    }

    @Test func `Cookies of a redirect are sent to the same origin in the same chain`() {
        let start = DataRequest(url: "http://a/x")
        #expect(cookies(start, [("/x", ["seen=1; Path=/; HttpOnly"])]) == ["seen=1"])
        #expect(cookies(start, [("/x", ["a=1", "b=2; Max-Age=60"]), ("/y", ["a=3"])]) == ["a=1; b=2", "b=2; a=3"])
        #expect(cookies(start, [("/y", ["a=1"]), ("/z", ["a=; Max-Age=0"])]) == ["a=1", nil])
        for other in ["http://b/x", "http://a:81/x", "https://a/x"] {
            #expect(cookies(start, [(other, ["a=1"]), ("http://a/z", [])]).first == .some(nil), "\(other)")
        }
        #expect(cookies(start, [("http://b/x", ["a=1"]), ("http://a/y", ["b=2"])]) == [nil, "a=1"])
        for odd in ["a", "=1", "", "a=\u{1}", "a=1; Secure", "a=" + String(repeating: "x", count: 5000)] {
            #expect(cookies(start, [("/y", [odd])]) == [nil], "\(odd.prefix(20))")
        }
        let given = DataRequest(url: "http://a/x", headers: ["Cookie": "own=1"])
        let away: [(location: String, setCookies: [String])] = [("/y", ["a=1"]), ("http://b/", []), ("http://a/z", [])]
        #expect(cookies(given, away) == ["own=1; a=1", nil, "a=1"])
    }

    @Test func `A redirect to the same address is a circle unless its cookies are new`() {
        let start = DataRequest(url: "http://a/x")
        #expect(cookies(start, [("/x", ["a=1"]), ("/x", ["a=1"])]) == ["a=1"])
        #expect(cookies(start, [("/x", [])]) == [])
        let ever = (0..<20).map { (location: "/x", setCookies: ["a=\($0)"]) }
        #expect(cookies(start, ever).count == 10)
    }

    @Test func `Redirects are followed up to the limit`() {
        var chain = RedirectChain(limit: 3)
        for step in 0..<3 {
            let request = DataRequest(url: "http://a/\(step)")
            let next = chain.follow(request, status: 302, headers: ["Location": "/\(step + 1)"])
            #expect(target(next) == "http://a/\(step + 1)")
        }
        let last = chain.follow(DataRequest(url: "http://a/3"), status: 302, headers: ["Location": "/4"])
        #expect(message(last) == "more than 3 redirects, which redirectLimit allows")
    }

    @Test func `A circular redirect is refused at once, whatever the fragment`() {
        #expect(message(follow("http://a/x", to: "/x#again")) == "the redirects go in a circle")
    }

    @Test(arguments: [
        ("http://a/y", true), ("http://A:80/y", true), ("http://a:81/y", false), ("https://a/y", false),
        ("http://b/y", false),
    ])
    func `Credentials are sent to the same origin only`(location: String, kept: Bool) {
        let headers: HTTPHeaderFields = [
            "authorization": "x", "Cookie": "y", "Proxy-Authorization": "z", "Accept": "*/*",
        ]
        guard case .follow(let next) = follow("http://a/x", to: location, headers: headers) else {
            Issue.record("not followed")
            return
        }
        for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
            #expect((next.headers[name] != nil) == kept)
        }
        #expect(next.headers["Accept"] == "*/*")
    }

    @Test(arguments: [
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "HEAD", "HEAD"),
        (307, "POST", "POST"), (308, "POST", "POST"), (302, "HEAD", "HEAD"),
    ])
    func `The method stays, except where the standard makes it GET`(status: Int, method: String, expected: String) {
        guard case .follow(let next) = follow("http://a/x", to: "/y", status: status, method: method) else {
            Issue.record("not followed")
            return
        }
        #expect(next.method == expected)
    }

    @Test func `A body is sent with its method, and dropped with it`() {
        var request = DataRequest(
            url: "http://a/x", method: "POST", headers: ["Content-Type": "text/plain", "A": "1"], body: .init([1]))
        var chain = RedirectChain(limit: 9)
        guard case .follow(let same) = chain.follow(request, status: 307, headers: ["Location": "/y"]) else {
            Issue.record("not followed")
            return
        }
        #expect(same.method == "POST" && same.body == request.body && same.headers == request.headers)
        guard case .follow(let plain) = chain.follow(same, status: 303, headers: ["Location": "/z"]) else {
            Issue.record("not followed")
            return
        }
        request = plain
        #expect(request.method == "GET" && request.body == nil && request.headers == ["A": "1"])
    }

    @Test func `Only the five statuses with a target are redirects`() {
        #expect((100..<600).filter(ResponseStatus.isRedirect) == [301, 302, 303, 307, 308])
    }

    @Test func `Private header fields are not sent to another server`() throws {
        var chain = RedirectChain(limit: 3, privateHeaders: ["X-Token"])
        let request = DataRequest(url: "https://a.org/", headers: ["x-token": "t", "Cookie": "c", "X-Other": "o"])
        let elsewhere: HTTPHeaderFields = ["Location": "https://b.org/"]
        guard case .follow(let away) = chain.follow(request, status: 302, headers: elsewhere) else {
            Issue.record("not followed")
            return
        }
        #expect(away.headers["X-Token"] == nil && away.headers["Cookie"] == nil && away.headers["X-Other"] == "o")
        guard case .follow(let same) = chain.follow(request, status: 302, headers: ["Location": "/x"]) else {
            Issue.record("not followed")
            return
        }
        #expect(same.headers["X-Token"] == "t")
    }

    @Test func `Validators are not sent to the target`() {
        let fields: HTTPHeaderFields = [
            "If-None-Match": "\"1\"", "If-Modified-Since": "x", "If-Match": "y", "If-Unmodified-Since": "z",
            "Accept": "a",
        ]
        guard case .follow(let next) = follow("http://a/r", to: "/b", headers: fields) else {
            Issue.record("not followed")
            return
        }
        #expect(next.headers == ["Accept": "a"])
    }

    @Test func `Conditions for an address are sent only to it`() {
        var chain = RedirectChain(limit: 10)
        var request = DataRequest(url: "http://a/r")
        request.targetConditions = TargetConditions(url: "http://a/c#x", headers: ["If-None-Match": "\"1\""])
        guard case .follow(let second) = chain.follow(request, status: 302, headers: ["Location": "/b"]),
            case .follow(let third) = chain.follow(second, status: 301, headers: ["Location": "/c", "Age": "1"]),
            case .follow(let fourth) = chain.follow(third, status: 301, headers: ["Location": "/d"])
        else {
            Issue.record("not followed")
            return
        }
        #expect(second.headers.isEmpty && third.headers == ["If-None-Match": "\"1\""] && fourth.headers.isEmpty)
        #expect(!RedirectChain.isSettled(third))
        #expect(chain.redirects.map(\.url) == ["http://a/r", "http://a/b", "http://a/c"])
        #expect(chain.redirects.map(\.status) == [302, 301, 301])
        #expect(chain.redirects.map { $0.headers["Age"] } == [nil, "1", nil])
    }
}
