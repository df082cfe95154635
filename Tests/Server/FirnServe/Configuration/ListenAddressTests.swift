import Testing

@testable import FirnServe

@Suite("Addresses to listen on")
struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:0", "127.0.0.1", 0), ("[::1]:8080", "::1", 8080), ("a.example:65535", "a.example", 65535),
    ])
    func `a host and a port`(_ text: String, _ host: String, _ port: Int) {
        #expect(ListenAddress(text) == ListenAddress(host: host, port: port))
        #expect(ListenAddress(text)?.description == text)
    }

    @Test(arguments: ["", ":80", "a", "a:", "a:b", "a:65536", "a:-1", "a b:1"])
    func `a listen address without a host or a port is refused`(_ text: String) { #expect(ListenAddress(text) == nil) }
}
