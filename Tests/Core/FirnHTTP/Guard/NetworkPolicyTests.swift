import FirnData
import Testing

@testable import FirnHTTP

@Suite struct NetworkPolicyTests {
    private func refusal(_ address: String, _ policy: NetworkPolicy = NetworkPolicy()) throws -> String? {
        let error = policy.refusal(of: try #require(NetworkAddress(address)))
        if let error { #expect(error.cause == .forbidden) }
        return error?.message
    }

    @Test(arguments: [
        ("127.0.0.1", "loopback"), ("127.255.255.254", "loopback"), ("::1", "loopback"), ("0.0.0.0", "unspecified"),
        ("::", "unspecified"), ("10.1.2.3", "private"), ("172.16.0.1", "private"), ("172.31.255.255", "private"),
        ("192.168.1.1", "private"), ("fd12::1", "private"), ("fec0::1", "private"), ("169.254.1.1", "link-local"),
        ("fe80::1", "link-local"), ("100.64.0.1", "shared by a provider's customers"), ("224.0.0.1", "multicast"),
        ("ff02::1", "multicast"), ("255.255.255.255", "reserved"), ("192.0.2.1", "reserved"),
        ("198.18.0.1", "reserved"),
        ("240.0.0.1", "reserved"), ("2001:db8::1", "reserved"), ("4000::1", "reserved"),
        ("169.254.169.254", "a cloud's metadata service"), ("100.100.100.200", "a cloud's metadata service"),
        ("fd00:ec2::254", "a cloud's metadata service"),
    ])
    func `An address outside the public Internet is refused, and the error names its range`(
        address: String, name: String
    ) throws {
        #expect(try refusal(address)?.contains("(\(name))") == true)
    }

    @Test(arguments: [
        "93.184.216.34", "8.8.8.8", "172.15.0.1", "172.32.0.1", "192.167.0.1", "100.63.255.255", "100.128.0.1",
        "2606:2800:220:1::1", "2a00::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
    ])
    func `The public Internet is not`(address: String) throws {
        #expect(try refusal(address) == nil)
    }

    @Test(arguments: [
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "::ffff:0:127.0.0.1", "2002:7f00:1::", "2002:a00:1::1",
        "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2001:0:808:808::80ff:fffe", "2001:0:7f00:1::1",
        "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:127.0.0.1",
    ])
    func `Addresses that stand for forbidden ones are refused (F27)`(address: String) throws {
        #expect(try refusal(address) != nil)
    }

    @Test func `Rules apply to every notation of an address`() throws {
        var policy = NetworkPolicy()
        policy.allowed = ["127.0.0.0/8"].compactMap { NetworkPolicy.AddressRange($0) }
        policy.denied = ["127.0.0.53", "8.8.0.0/16"].compactMap { NetworkPolicy.AddressRange($0) }
        #expect(try refusal("127.0.0.1", policy) == nil)
        #expect(try refusal("::ffff:127.0.0.1", policy) == nil)
        #expect(try refusal("127.0.0.53", policy) != nil)
        #expect(try refusal("::ffff:8.8.8.8", policy) != nil)
        #expect(try refusal("10.0.0.1", policy) != nil)
        policy.allowsSpecialAddresses = true
        #expect(try refusal("10.0.0.1", policy) == nil)
        #expect(try refusal("8.8.8.8", policy) != nil)
    }

    @Test func `Ranges are added as text; invalid text changes nothing`() throws {
        var rules = NetworkPolicy()
        #expect(rules.allow("10.0.0.0/8") && rules.deny("10.0.0.53"))
        #expect(try refusal("10.0.0.1", rules) == nil)
        #expect(try refusal("10.0.0.53", rules) != nil)
        let former = rules
        for text in ["", "10.0.0.0/33", "example.org", "10.0.0"] {
            #expect(!rules.allow(text) && !rules.deny(text))
        }
        #expect(rules == former)
    }

    @Test func `Schemes, ports and user names are checked first`() {
        let policy = NetworkPolicy.guarded
        func refusal(_ scheme: String, _ port: Int, _ hasUserInfo: Bool = false) -> String? {
            policy.refusal(scheme: scheme, host: "a.example", port: port, hasUserInfo: hasUserInfo)?.message
        }
        #expect(refusal("https", 443) == nil && refusal("http", 8080) == nil)
        #expect(refusal("http", 22) == "port 22 is not allowed by the network policy")
        #expect(refusal("ftp", 443) == "the scheme ftp is not allowed by the network policy")
        #expect(refusal("https", 443, true) != nil)
    }

    @Test(
        arguments: [
            ("example.org", true), ("EXAMPLE.org", true), ("a.example.org", false), ("b.test", false),
            ("a.b.test", false), ("x.a.b.test", true), ("x.y.a.b.test", true), ("xa.b.test", false),
            ("example.org.", false), ("", false), ("*.a.b.test", true),
        ])
    func `Hosts are allowed by name, and by patterns of the names above them`(host: String, isAllowed: Bool) {
        var policy = NetworkPolicy()
        policy.hosts = ["example.org", "*.A.b.test"]
        let refusal = policy.refusal(scheme: "https", host: host, port: 443, hasUserInfo: false)
        #expect((refusal == nil) == isAllowed)
        #expect(refusal == nil || refusal?.cause == .forbidden)
        policy.hosts = ["*"]
        #expect(policy.refusal(scheme: "https", host: host, port: 443, hasUserInfo: false) == nil)
    }

    @Test func `By default untrusted requests and redirects have a policy, and other requests none`() {
        let settings = LoaderConfiguration()
        #expect(settings.network == nil)
        #expect(settings.untrustedPolicy == .guarded)
        #expect(settings.redirectPolicy == NetworkPolicy())
    }
}
