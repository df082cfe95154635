import FirnData
import FirnHTTP
import Testing

@Suite struct ProxySettingsTests {
    private func proxy(
        _ environment: [String: String], _ scheme: String, _ host: String, _ port: Int = 80
    ) throws(DataLoadingError) -> ProxyAddress? {
        try ProxySettings(environment: environment).proxy(scheme: scheme, host: host, port: port)
    }

    @Test func `The usual variables are read, lower case first`() throws {
        let environment = [
            "http_proxy": "http://low:1", "HTTP_PROXY": "http://up:2", "HTTPS_PROXY": "tls:3",
            "all_proxy": "socks5://all",
        ]
        #expect(try proxy(environment, "http", "a.org") == ProxyAddress(.http, host: "low", port: 1))
        #expect(try proxy(environment, "https", "a.org") == ProxyAddress(.http, host: "tls", port: 3))
        #expect(
            try proxy(["ALL_PROXY": "socks5://all"], "https", "a.org") == ProxyAddress(.socks5, host: "all", port: 1080)
        )
        #expect(try proxy(["http_proxy": "", "all_proxy": "http://all"], "http", "a.org") == nil)
        #expect(try proxy([:], "http", "a.org") == nil)
    }

    @Test func `A proxy for each scheme can be set as text; invalid text is refused`() throws {
        let settings = ProxySettings(http: "proxy:3128", https: "socks5://user@other", direct: ["a.org"])
        #expect(
            try settings?.proxy(scheme: "http", host: "b.org", port: 80)
                == ProxyAddress(.http, host: "proxy", port: 3128))
        #expect(try settings?.proxy(scheme: "https", host: "b.org", port: 443)?.kind == .socks5)
        #expect(try settings?.proxy(scheme: "http", host: "a.org", port: 80) == nil)
        let secure = ProxySettings(http: nil, https: "https://speaks-tls:1")
        #expect(
            try secure?.proxy(scheme: "https", host: "b.org", port: 443)
                == ProxyAddress(.https, host: "speaks-tls", port: 1))
        #expect(ProxySettings(http: "ftp://a", https: nil) == nil)
        #expect(try ProxySettings(http: nil, https: nil)?.proxy(scheme: "http", host: "b.org", port: 80) == nil)
    }

    @Test func `In a CGI program HTTP_PROXY is not to be trusted`() throws {
        let environment = ["HTTP_PROXY": "http://evil:1", "REQUEST_METHOD": "GET"]
        #expect(try proxy(environment, "http", "a.org") == nil)
        var own = environment
        own["http_proxy"] = "http://good:1"
        #expect(try proxy(own, "http", "a.org")?.host == "good")
    }

    @Test(arguments: [
        ("*", "a.org"), ("a.org", "a.org"), ("a.org", "www.a.org"), (".a.org", "a.org"), ("*.a.org", "www.a.org"),
        ("x, a.org", "A.ORG"), ("10.0.0.0/8", "10.9.9.9"), ("10.1.1.1", "10.1.1.1"), ("a.org:80", "a.org"),
        ("[fd00::1]:80", "fd00::1"), ("fd00::/8", "fd00::1"), ("a.org", "a.org."),
    ])
    func `Hosts in no_proxy are contacted directly`(list: String, host: String) throws {
        #expect(try proxy(["http_proxy": "http://p", "no_proxy": list], "http", host) == nil)
    }

    @Test(arguments: [
        ("a.org", "ba.org"), ("a.org:81", "a.org"), ("10.0.0.0/8", "11.0.0.1"), ("www.a.org", "a.org"), ("", "a.org"),
    ])
    func `Others are not`(list: String, host: String) throws {
        #expect(try proxy(["http_proxy": "http://p", "no_proxy": list], "http", host) != nil)
    }

    @Test(arguments: ["localhost", "x.localhost", "127.0.0.1", "127.9.9.9", "::1"])
    func `This machine never goes through a proxy`(host: String) throws {
        #expect(try proxy(["http_proxy": "http://p"], "http", host) == nil)
    }

    @Test func `Proxies may have users and passwords`() throws {
        let address = ProxyAddress("http://me:se%20cret@proxy.example:3128/")
        #expect(address == ProxyAddress(.http, host: "proxy.example", port: 3128, user: "me", password: "se cret"))
        #expect(ProxyAddress("[::1]:3128") == ProxyAddress(.http, host: "::1", port: 3128))
        #expect(ProxyAddress("https://proxy") == ProxyAddress(.https, host: "proxy", port: 443))
        #expect(ProxyAddress("") == nil)
        #expect(ProxyAddress("proxy:443") == ProxyAddress(.http, host: "proxy", port: 443))
        #expect(ProxyAddress("socks5h://proxy:80") == ProxyAddress(.socks5h, host: "proxy", port: 80))
        let special = ProxyAddress("http://m%40e:%23%3F%2F%3a@proxy")
        #expect(special == ProxyAddress(.http, host: "proxy", port: 80, user: "m@e", password: "#?/:"))
    }

    @Test(arguments: ["socks4", "socks4a", "socks5", "socks5h", "SOCKS5H"])
    func `Each version of SOCKS is a kind of its own`(scheme: String) throws {
        let address = try proxy(["all_proxy": "\(scheme)://p"], "http", "a.org")
        #expect(address?.kind.rawValue == scheme.lowercased() && address?.port == 1080)
    }

    @Test func `White space around a value is ignored`() throws {
        #expect(try proxy(["http_proxy": " \thttp://p:1\r\n"], "http", "a.org")?.port == 1)
        #expect(try proxy(["http_proxy": "  ", "all_proxy": "http://p"], "http", "a.org") == nil)
        #expect(try proxy(["http_proxy": "http://p", "no_proxy": "\ta.org\n"], "http", "a.org") == nil)
    }

    @Test(arguments: [
        "http://me:p#ss@proxy:1", "http://me:p?ss@proxy:1", "http://me#pw@proxy:1", "http://me:p/ss@proxy:1",
        "http://me:1/ss@proxy:1", "ftp://proxy", "http://", "http://proxy:x", "http://proxy:0", "http://proxy:65536",
        "http://pro xy", "://proxy", "http//proxy:1", "socks6://proxy", "http://me:%00@proxy",
    ])
    func `A value that cannot be read fails the requests that would use it`(value: String) throws {
        let environment = ["all_proxy": "http://good", "HTTP_PROXY": value, "no_proxy": "b.org"]
        let error = #expect(throws: DataLoadingError.self) { try self.proxy(environment, "http", "a.org") }
        #expect(error?.message.contains("variable HTTP_PROXY is not") == true && error?.isFinal == true)
        #expect(try proxy(environment, "https", "a.org")?.host == "good")
        for host in ["b.org", "localhost", "127.0.0.1"] { #expect(try proxy(environment, "http", host) == nil) }
        let all = #expect(throws: DataLoadingError.self) { try self.proxy(["all_proxy": value], "https", "a.org") }
        #expect(all?.message.contains("variable all_proxy is not") == true)
    }
}
