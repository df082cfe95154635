import FirnData
import FirnPipeline
import Testing

/// Tests which parts of addresses are left out before they are shown.
@Suite struct AddressRedactionTests {
    private let redaction = AddressRedaction()

    @Test(arguments: [
        ("http://anna:pw@example.org:81/a.jpg", "http://example.org:81/a.jpg"),
        ("https://anna@example.org/a@b.jpg", "https://example.org/a@b.jpg"),
        ("https://a:b@c@example.org", "https://example.org"),
        ("https://example.org/a.jpg?w=800&token=abc&h=600", "https://example.org/a.jpg?w=800&token=…&h=600"),
        (
            "https://example.org/a?X-Amz-Date=2026&X-Amz-Expires=60",
            "https://example.org/a?X-Amz-Date=…&X-Amz-Expires=…"
        ),
        (
            "https://e.org/a?sv=2026&sig=x&apiKey=y&accessToken=z",
            "https://e.org/a?sv=2026&sig=…&apiKey=…&accessToken=…"
        ),
        ("https://e.org/a?%74oken=x#access_token=y", "https://e.org/a?%74oken=…#access_token=…"),
        ("https://e.org/a?v=5d41402abc4b2a76b9719d911017c592", "https://e.org/a?v=…"),
        ("https://e.org/a?v=Zm9vYmFyMTIzNDU2Nzg5MGFiYw", "https://e.org/a?v=…"),
        ("https://e.org/a?Zm9vYmFyMTIzNDU2Nzg5MGFiYw", "https://e.org/a?…"),
        ("https://e.org/a?url=http%3A%2F%2Fu%3Ap%40h.org%2Fb", "https://e.org/a?url=…"),
    ])
    func `user name, password and secrets in query and fragment go, the rest stays`(address: String, shown: String) {
        #expect(redaction.address(address) == shown)
    }

    @Test(arguments: [
        "https://example.org/a.jpg?w=800&keyword=sky&design=3&monkeys=2&page=12",
        "https://example.org/my-holiday-photo.jpg?name=my-holiday-photo-2024-final-version",
        "https://example.org/a?url=http%3A%2F%2Fexample.net%2Fb.jpg",
        "https://example.org/a?t=1763833512000000000000",
        "https://example.org/a?token=", "photo?token=abc.jpg", "/home/anna@work/a.jpg", "file:///home/a@b.jpg", "",
    ])
    func `addresses without secrets stay unchanged`(address: String) {
        #expect(redaction.address(address) == address)
    }

    @Test func `every address in a message is redacted`() {
        let text = "redirect from \"http://u:p@a.org/?key=1\" to <https://b.org/x?sig=2>: refused"
        #expect(redaction.text(text) == "redirect from \"http://a.org/?key=…\" to <https://b.org/x?sig=…>: refused")
        #expect(redaction.text("no such host: example.org") == "no such host: example.org")
    }

    @Test func `an error as text has no secrets, and names its source whole`() {
        let error = ImageLoadingError(.source, at: .loading, source: "http://u:p@a.org/?key=1", message: "refused")
        #expect("\(error)" == "http://a.org/?key=…: refused")
        #expect(error.source == "http://u:p@a.org/?key=1")
    }

    @Test func `whole addresses are printed on request`() {
        let address = "http://u:p@a.org/?key=1"
        #expect(AddressRedaction(showsQueries: true).address(address) == address)
        #expect(AddressRedaction(showsQueries: true).text("at \(address)") == "at \(address)")
    }
}
