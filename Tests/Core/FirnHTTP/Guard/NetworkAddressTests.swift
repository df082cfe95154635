import Testing

@testable import FirnHTTP

@Suite struct NetworkAddressTests {
    @Test func `Addresses of version 6 are read and written`() {
        #expect(NetworkAddress("[2001:db8::1]")?.description == "2001:db8::1")
        #expect(NetworkAddress("fe80::1%eth0")?.description == "fe80::1")
        #expect(NetworkAddress("::ffff:127.0.0.1")?.description == "::ffff:127.0.0.1")
        #expect(NetworkAddress("1:2:3") == nil)
    }

    @Test func `Ranges hold what begins as they do`() throws {
        let ten = try #require(NetworkPolicy.AddressRange("10.0.0.0/8"))
        #expect(ten.contains(try #require(NetworkAddress("10.255.0.1"))))
        #expect(!ten.contains(try #require(NetworkAddress("11.0.0.0"))))
        let local = try #require(NetworkPolicy.AddressRange("fc00::/7"))
        #expect(local.contains(try #require(NetworkAddress("fdff::1"))))
        #expect(!local.contains(try #require(NetworkAddress("fe00::1"))))
        #expect(NetworkPolicy.AddressRange("192.0.2.7")?.description == "192.0.2.7/32")
        #expect(NetworkPolicy.AddressRange("0.0.0.0/0")?.contains(try #require(NetworkAddress("200.1.2.3"))) == true)
        #expect(NetworkPolicy.AddressRange("::/0")?.contains(try #require(NetworkAddress("2001::3"))) == true)
        for text in ["10.0.0.0/33", "::/129", "10.0.0.0/-1", "x/8", "10.0.0.0/8/8", ""] {
            #expect(NetworkPolicy.AddressRange(text) == nil)
        }
    }
}
