import FirnData
import FirnImage
import Testing

@testable import FirnHTTP

/// Tests the addresses that a transfer may request, by the origin of the request.
@Suite struct TransferGuardTests {
    private let outside = "93.184.216.34"
    private let inside = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fe80::1", "::ffff:192.168.0.1"]

    private func address(_ text: String) throws -> NetworkAddress { try #require(NetworkAddress(text)) }

    private func limits(of request: DataRequest, _ settings: LoaderConfiguration = LoaderConfiguration())
        -> TransferGuard
    {
        settings.transferGuard(for: request)
    }

    @Test func `An address of the program's own may be anywhere`() throws {
        let limits = limits(of: DataRequest(url: "http://10.0.0.1/"))
        #expect(limits.isOpen)
        for text in inside { #expect(limits.refusal(of: try address(text)) == nil) }
    }

    @Test func `By default a redirect from outside leads to no address inside`() throws {
        var limits = limits(of: DataRequest(url: "http://a.example/"))
        limits.redirected(by: try address(outside))
        #expect(!limits.isOpen)
        for text in inside { #expect(limits.refusal(of: try address(text))?.cause == .forbidden) }
        #expect(limits.refusal(of: try address("8.8.8.8")) == nil)
    }

    @Test func `A redirect from inside may lead anywhere, and outside is remembered for the next`() throws {
        var limits = limits(of: DataRequest(url: "http://10.0.0.1/"))
        limits.redirected(by: try address("10.0.0.1"))
        for text in inside + [outside] { #expect(limits.refusal(of: try address(text)) == nil) }
        limits.redirected(by: try address(outside))
        #expect(limits.refusal(of: try address("10.0.0.1")) != nil)
    }

    @Test func `A redirect of unknown origin counts as external, but needs no look-up for a proxy`() throws {
        var limits = limits(of: DataRequest(url: "http://a.example/"))
        limits.redirected(by: nil)
        #expect(limits.refusal(of: try address("127.0.0.1")) != nil)
        #expect(!limits.looksUp(throughProxy: true) && limits.looksUp(throughProxy: false))
    }

    @Test func `Redirects can be let go anywhere`() throws {
        var settings = LoaderConfiguration()
        settings.redirectPolicy = nil
        var limits = limits(of: DataRequest(url: "http://a.example/"), settings)
        limits.redirected(by: try address(outside))
        #expect(limits.isOpen)
    }

    @Test func `A policy of the loader's own judges redirects, too, and alone`() throws {
        var settings = LoaderConfiguration()
        settings.network = NetworkPolicy()
        settings.network?.allowed = ["10.0.0.0/8"].compactMap { NetworkPolicy.AddressRange($0) }
        var limits = limits(of: DataRequest(url: "http://a.example/"), settings)
        limits.redirected(by: try address(outside))
        #expect(limits.refusal(of: try address("10.0.0.1")) == nil)
        #expect(limits.refusal(of: try address("127.0.0.1")) != nil)
    }

    @Test func `By default an untrusted address is of the public Internet, and brief`() throws {
        var request = DataRequest(url: "http://a.example/")
        request.isUntrusted = true
        let limits = limits(of: request)
        for text in inside { #expect(limits.refusal(of: try address(text))?.cause == .forbidden) }
        #expect(limits.refusal(of: try address(outside)) == nil)
        #expect(limits.refusal(scheme: "http", host: "a.example", port: 6379, hasUserInfo: false) != nil)
        #expect(limits.maximumBytes(512 << 20) == 64 << 20)
        #expect(limits.maximumBytes(1 << 20) == 1 << 20)
        #expect(limits.timeLimit(nil) == .seconds(120) && limits.timeLimit(.seconds(5)) == .seconds(5))
    }

    @Test func `An untrusted address is held to both policies`() throws {
        var settings = LoaderConfiguration()
        settings.network = NetworkPolicy()
        settings.network?.denied = [outside].compactMap { NetworkPolicy.AddressRange($0) }
        settings.network?.allowed = ["10.0.0.0/8"].compactMap { NetworkPolicy.AddressRange($0) }
        var request = DataRequest(url: "http://a.example/")
        request.isUntrusted = true
        let limits = limits(of: request, settings)
        for text in [outside, "10.0.0.1"] { #expect(limits.refusal(of: try address(text)) != nil) }
        #expect(limits.refusal(of: try address("8.8.8.8")) == nil)
    }
}
