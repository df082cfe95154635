import FirnHTTP
import Testing

@Suite struct ProxySettingsTests {
    private func proxy(_ environment: [String: String], _ scheme: String, _ host: String, _ port: Int = 80)
        -> ProxyAddress?
    {
        ProxySettings(environment: environment).proxy(scheme: scheme, host: host, port: port)
    }

    @Test func `The usual variables are read, lower case first`() {
        let environment = [
            "http_proxy": "http://low:1", "HTTP_PROXY": "http://up:2", "HTTPS_PROXY": "tls:3",
            "all_proxy": "socks5://all",
        ]
        #expect(proxy(environment, "http", "a.org") == ProxyAddress(.http, host: "low", port: 1))
        #expect(proxy(environment, "https", "a.org") == ProxyAddress(.http, host: "tls", port: 3))
        #expect(proxy(["ALL_PROXY": "socks5://all"], "https", "a.org") == ProxyAddress(.socks, host: "all", port: 1080))
        #expect(proxy(["http_proxy": "", "all_proxy": "http://all"], "http", "a.org") == nil)
        #expect(proxy([:], "http", "a.org") == nil)
    }

    @Test func `A proxy for each scheme can be written as text, and text that is none is refused`() {
        let settings = ProxySettings(http: "proxy:3128", https: "socks5://user@other", direct: ["a.org"])
        #expect(
            settings?.proxy(scheme: "http", host: "b.org", port: 80) == ProxyAddress(.http, host: "proxy", port: 3128))
        #expect(settings?.proxy(scheme: "https", host: "b.org", port: 443)?.kind == .socks)
        #expect(settings?.proxy(scheme: "http", host: "a.org", port: 80) == nil)
        let secure = ProxySettings(http: nil, https: "https://speaks-tls:1")
        #expect(
            secure?.proxy(scheme: "https", host: "b.org", port: 443)
                == ProxyAddress(.https, host: "speaks-tls", port: 1))
        #expect(ProxySettings(http: "ftp://a", https: nil) == nil)
        #expect(ProxySettings(http: nil, https: nil)?.proxy(scheme: "http", host: "b.org", port: 80) == nil)
    }

    @Test func `In a CGI program HTTP_PROXY is not to be trusted`() {
        let environment = ["HTTP_PROXY": "http://evil:1", "REQUEST_METHOD": "GET"]
        #expect(proxy(environment, "http", "a.org") == nil)
        var own = environment
        own["http_proxy"] = "http://good:1"
        #expect(proxy(own, "http", "a.org")?.host == "good")
    }

    @Test(arguments: [
        ("*", "a.org"), ("a.org", "a.org"), ("a.org", "www.a.org"), (".a.org", "a.org"), ("*.a.org", "www.a.org"),
        ("x, a.org", "A.ORG"), ("10.0.0.0/8", "10.9.9.9"), ("10.1.1.1", "10.1.1.1"), ("a.org:80", "a.org"),
        ("[fd00::1]:80", "fd00::1"), ("fd00::/8", "fd00::1"), ("a.org", "a.org."),
    ])
    func `Those named in no_proxy are asked directly`(list: String, host: String) {
        #expect(proxy(["http_proxy": "http://p", "no_proxy": list], "http", host) == nil)
    }

    @Test(arguments: [
        ("a.org", "ba.org"), ("a.org:81", "a.org"), ("10.0.0.0/8", "11.0.0.1"), ("www.a.org", "a.org"), ("", "a.org"),
    ])
    func `Others are not`(list: String, host: String) {
        #expect(proxy(["http_proxy": "http://p", "no_proxy": list], "http", host) != nil)
    }

    @Test(arguments: ["localhost", "x.localhost", "127.0.0.1", "127.9.9.9", "::1"])
    func `This machine never goes through a proxy`(host: String) {
        #expect(proxy(["http_proxy": "http://p"], "http", host) == nil)
    }

    @Test func `Proxies may have users and passwords`() {
        let address = ProxyAddress("http://me:se%20cret@proxy.example:3128/")
        #expect(address == ProxyAddress(.http, host: "proxy.example", port: 3128, user: "me", password: "se cret"))
        #expect(ProxyAddress("[::1]:3128") == ProxyAddress(.http, host: "::1", port: 3128))
        #expect(ProxyAddress("https://proxy") == ProxyAddress(.https, host: "proxy", port: 443))
        #expect(ProxyAddress("") == nil)
    }
}
