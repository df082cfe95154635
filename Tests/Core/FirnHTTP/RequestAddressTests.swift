import FirnHTTP
import FoundationEssentials
import Testing

@Suite struct RequestAddressTests {
    @Test func `The user name and password are not sent in the address`() throws {
        let address = try #require(RequestAddress("http://me:se%20cret@a.org:81/x?y=1"))
        #expect(address.text == "http://a.org:81/x?y=1")
        #expect(address.credentials == "Basic bWU6c2UgY3JldA==")
        #expect(try #require(RequestAddress("http://me@a.org/")).credentials == "Basic bWU6")
        #expect(try #require(RequestAddress("http://a.org/")).credentials == nil)
        #expect(try #require(RequestAddress("http://@a.org/")).credentials == nil)
    }

    @Test func `Hosts have one form, and fragments are not sent`() throws {
        #expect(try #require(RequestAddress("http://A%2eOrg/X#y")).text == "http://a.org/X")
        #expect(try #require(RequestAddress("http://0x7f.1/")).origin.host == "127.0.0.1")
        #expect(try #require(RequestAddress("http://[0::1]:81/")).origin.host == "::1")
    }

    @Test(arguments: ["", "x", "ftp://a/", "http://", "http://a:0/", "//a/x"])
    func `Text that is not an HTTP address is rejected`(text: String) { #expect(RequestAddress(text) == nil) }
}
