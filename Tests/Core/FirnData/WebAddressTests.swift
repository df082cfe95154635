import FirnData
import FirnSystem
import Foundation
import Testing

@Suite struct WebAddressTests {
    @Test(arguments: [
        // Invalid characters are encoded, and escapes stay.
        ("http://a.org/湖%20b.png", "http://a.org/%E6%B9%96%20b.png"),
        ("http://a.org/?name=湖&sig=x%2By%3D", "http://a.org/?name=%E6%B9%96&sig=x%2By%3D"),
        ("http://a.org/a b\"c<d>e`f{g}", "http://a.org/a%20b%22c%3Cd%3Ee%60f%7Bg%7D"),
        ("http://a.org/a|b[c]^d?^", "http://a.org/a|b[c]%5Ed?^"),
        ("http://a.org/?a b\"c'd<e>f`g{h}|", "http://a.org/?a%20b%22c%27d%3Ce%3Ef`g{h}|"),
        ("http://a.org/50%", "http://a.org/50%"),
        ("http://a.org/#a b`", "http://a.org/#a%20b%60"),
        // White space is dropped: around the address, and tabs and line feeds anywhere.
        (" \u{C}http://a.org/x \n", "http://a.org/x"),
        ("ht\ntp://a.\torg/x\ry", "http://a.org/xy"),
        // Schemes, hosts and ports have one form.
        ("HTTP://A.Org:80", "http://a.org/"), ("hTTps://a.org:443/", "https://a.org/"),
        ("https://a.org:80/", "https://a.org:80/"), ("http://a.org:/", "http://a.org/"),
        ("http://a.org:0081/", "http://a.org:81/"), ("http://a%2eorg/", "http://a.org/"),
        ("http:\\\\a.org\\b\\c", "http://a.org/b/c"), ("http:a.org", "http://a.org/"),
        ("http:////a.org/", "http://a.org/"), ("http://a.org?x", "http://a.org/?x"),
        ("http://a_b.org./", "http://a_b.org./"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://日本語。COM/", "http://xn--wgv71a119e.com/"),
        ("http://XN--BCHER-KVA.example/", "http://xn--bcher-kva.example/"),
        ("http://faß.de/", "http://xn--fa-hia.de/"),
        // Numbers are addresses.
        ("http://127.1/", "http://127.0.0.1/"), ("http://0x7F.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"), ("http://0177.0.0.1./", "http://127.0.0.1/"),
        ("http://１２７.0.0.1/", "http://127.0.0.1/"), ("http://0x/", "http://0.0.0.0/"),
        ("http://[2001:DB8:0:0:1:0:0:1]:80/", "http://[2001:db8::1:0:0:1]/"),
        ("http://[::ffff:1.2.3.4]/", "http://[::ffff:102:304]/"), ("http://[0::0]/", "http://[::]/"),
        ("http://[1:0:3:4:5:6:7:8]/", "http://[1:0:3:4:5:6:7:8]/"),
        // Paths are resolved.
        ("http://a.org/a/./b/../c", "http://a.org/a/c"), ("http://a.org/../..", "http://a.org/"),
        ("http://a.org/a/%2E%2e/b/%2e", "http://a.org/b/"), ("http://a.org/a//b/..", "http://a.org/a//"),
        ("http://a.org/.well-known/...", "http://a.org/.well-known/..."),
        // Names and passwords.
        ("http://me:se@cret@a.org/", "http://me:se%40cret@a.org/"), ("http://:@a.org/", "http://a.org/"),
        ("http://me@a.org", "http://me@a.org/"), ("http://:x@a.org/", "http://:x@a.org/"),
    ])
    func `An address is written in one way`(text: String, expected: String) {
        #expect(WebAddress(text)?.text == expected)
        #expect(WebAddress.normalized(text) == expected)
        #expect(WebAddress.normalized(expected) == expected)
    }

    @Test(arguments: [
        "", "x", "//a.org/", "ftp://a.org/", "file:///x", "data:,x", "http://", "http:///", "http://?x", "http://a b/",
        "http://a.org:x/", "http://a.org:65536/", "http://a.org:-1/", "http://[::1/", "http://[::1]x/", "http://[]/",
        "http://[fe80::1%25eth0]/", "http://[1:2]/", "http://1.2.3.4.5/", "http://256.1.1.1/", "http://a.0x1/",
        "http://4294967296/", "http://1..2/", "http://a|b/", "http://a^b/", "http://a%00b/", "http://a%zz/",
        "http://%ff/",
        "http://xn--a/", "http://@/", "http://me@/x",
    ])
    func `An address needs a host and a supported scheme`(text: String) {
        #expect(WebAddress(text) == nil)
        #expect(WebAddress.normalized(text) == nil)
    }

    @Test(arguments: [
        "http://a.org/", "https://a-b.c_d.org:65535/x?y=/z", "http://127.0.0.1:8080/x", "http://0.0.0.0/",
        "http://255.255.255.255:1/a%20",
    ])
    func `An address in its one form has its origin without the parser`(text: String) throws {
        let (address, origin) = try (#require(WebAddress(text)), #require(WebAddress.normalOrigin(text)))
        #expect(address.text == text)
        #expect(origin == (address.isSecure, address.host, address.port))
    }

    @Test(arguments: [
        "http://256.1.1.1/", "http://1.2.3/", "http://1.2.3.4.5/", "http://01.2.3.4/", "http://1.2.3.4./",
        "http://1..2.3/", "http://.1.2.3/", "http://a.0x1/", "http://a.org:80/", "http://a.org:0/",
        "http://a.org:65536/", "http://a@b.org/", "http://a.org", "http://a.org/#x", "http://a.org?x/",
        "http://a.org/./x", "ftp://a.org/",
    ])
    func `Other addresses are left to the parser`(text: String) {
        #expect(WebAddress.normalOrigin(text) == nil)
    }

    @Test(arguments: [
        ("/e f", "http://a.org/e%20f"), ("e?f=1", "http://a.org/b/e?f=1"), ("//o.org:81/x", "http://o.org:81/x"),
        ("", "http://a.org/b/c?d"), ("?q", "http://a.org/b/c?q"), ("#x", "http://a.org/b/c?d#x"),
        ("..", "http://a.org/"), ("../../x", "http://a.org/x"), ("http:x", "http://a.org/b/x"),
        ("https:x.org", "https://x.org/"),
        ("\\x", "http://a.org/x"), ("d ", "http://a.org/b/d"), ("http://o.org", "http://o.org/"), ("x:y", nil),
        ("//", nil), ("/湖%E9", "http://a.org/%E6%B9%96%E9"),
    ])
    func `A relative address belongs to another`(text: String, expected: String?) throws {
        let base = try #require(WebAddress("http://a.org/b/c?d"))
        #expect(WebAddress(text, relativeTo: base)?.text == expected)
    }

    @Test func `Bytes that are not UTF-8 are encoded as they are`() throws {
        let base = try #require(WebAddress("http://a.org/"))
        #expect(WebAddress(bytes: Array("/caf".utf8) + [0xE9], relativeTo: base)?.text == "http://a.org/caf%E9")
        #expect(WebAddress(bytes: Array("http://caf".utf8) + [0xE9]) == nil)
    }

    @Test func `The fragment is no part of the resource, and the origin has neither name nor path`() throws {
        let address = try #require(WebAddress("https://me:x@a.org:81/p?q#f"))
        #expect(address.resource == "https://me:x@a.org:81/p?q")
        #expect(address.origin == "https://a.org:81")
        #expect(address.withoutCredentials.text == "https://a.org:81/p?q#f")
        #expect(WebAddress.resource(of: "HTTP://a.org#x") == "http://a.org/")
        #expect(WebAddress.resource(of: "app:x#y") == "app:x#y")
    }

    @Test(arguments: [
        ("http://a.org/a|b%20c", "http://a.org/a%7Cb%20c"), ("http://a.org/50%", "http://a.org/50%25"),
        ("http://[::1]/x[0]", "http://[::1]/x%5B0%5D"), ("http://a.org/?x=%zz%41", "http://a.org/?x=%25zz%41"),
        ("app:x", "app:x"), ("http://a.org/%20", "http://a.org/%20"),
    ])
    func `Foundation gets no address that it would change`(text: String, expected: String) {
        #expect(WebAddress.url(text)?.absoluteString == expected)
    }

    @Test func `Long addresses take linear time`() {
        let clock = ContinuousClock()
        let make = { (count: Int) in "http://a.org/" + String(repeating: "x/../%2e/./{/", count: count) }
        let (short, long) = (make(2_000), make(64_000))
        let once = clock.measure { #expect(WebAddress(short) != nil) }
        let many = clock.measure { #expect(WebAddress(long) != nil) }
        #expect(many < max(once, .milliseconds(1)) * 32 * 8)
    }

    /// The standard's own cases, as Debian's `librust-url-dev` has them.
    @Test(.enabled(if: standardCases != nil))
    func `The standard's cases for http and https hold`() throws {
        let file = try #require(WebAddressTests.standardCases)
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
        let cases = try #require(json as? [Any]).compactMap { $0 as? [String: Any] }
        var count = 0
        for test in cases {
            let (input, base) = (test["input"] as? String ?? "", test["base"] as? String)
            let fails = test["failure"] != nil
            let isWeb = ["http:", "https:"].contains(test["protocol"] as? String ?? "")
            let mayBeWeb = [input.lowercased(), base ?? ""].contains { $0.hasPrefix("http") }
            // libidn2 follows IDNA 2008, which has no symbols in names.
            guard isWeb || fails && mayBeWeb, input != "https://%e2%98%83" else { continue }
            count += 1
            let expected = fails ? nil : test["href"] as? String
            #expect(WebAddress(input, relativeTo: base.flatMap { WebAddress($0) })?.text == expected, "\(input)")
            if base == nil || base == "about:blank" { #expect(WebAddress.normalized(input) == expected, "\(input)") }
        }
        #expect(count > 300)
    }

    private static let standardCases: String? = {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob("/usr/share/cargo/registry/url-*/tests/urltestdata.json", 0, nil, &found) == 0,
            let path = found.gl_pathv?[0]
        else { return nil }
        return String(validatingCString: path)
    }()
}
