import Testing

@testable import FirnServe

@Suite("Addresses to listen on")
struct ListenAddressTests {
    @Test(
        "a host and a port",
        arguments: [
            ("127.0.0.1:0", "127.0.0.1", 0), ("[::1]:8080", "::1", 8080), ("a.example:65535", "a.example", 65535),
        ])
    func valid(_ text: String, _ host: String, _ port: Int) {
        #expect(ListenAddress(text) == ListenAddress(host: host, port: port))
        #expect(ListenAddress(text)?.description == text)
    }

    @Test(
        "what has no host or no port is refused",
        arguments: ["", ":80", "a", "a:", "a:b", "a:65536", "a:-1", "a b:1"])
    func invalid(_ text: String) { #expect(ListenAddress(text) == nil) }
}
