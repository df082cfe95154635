import FirnData
import FirnPipeline
import Testing

@testable import FirnReport

/// Tests the texts that messages quote.
@Suite struct QuotedTextTests {
    @Test func `a short text stays, a long one keeps its start and its end`() {
        #expect(QuotedText.of("photo.jpg") == "photo.jpg")
        let long = "https://example.org/" + String(repeating: "x", count: 10_000_000) + "/photo.jpg"
        let short = QuotedText.of(long)
        #expect(short.utf8.count <= QuotedText.nameBytes)
        #expect(short.hasPrefix("https://example.org/xx") && short.hasSuffix("xx/photo.jpg") && short.contains("..."))
    }

    @Test(arguments: 0..<12)
    func `characters of any length are cut at scalars, and within the limit`(shift: Int) {
        // One character of megabytes, of which only scalars can be cut.
        let marks = String(repeating: "a", count: shift) + "e" + String(repeating: "\u{301}", count: 100_000)
        let wide = String(repeating: "a", count: shift) + String(repeating: "\u{1F600}", count: 100_000)
        for text in [marks, wide] {
            for limit in [0, 3, 4, 20, 300] {
                let short = QuotedText.of(text, bytes: limit)
                #expect(short.utf8.count <= max(limit, 3))
                #expect(!short.unicodeScalars.contains("\u{FFFD}"))
            }
        }
    }

    @Test func `a shortened address has no secrets`() {
        let filler = String(repeating: "x", count: 1_000)
        for address in [
            "https://user:\(filler)SECRET@example.org/a.png", "https://example.org/\(filler)?a=1&token=SECRET",
            "https://example.org/a?token=\(filler)SECRET",
        ] {
            let error = ImageLoadingError(
                .source, at: .loading, source: address, message: "\(address) is not there, nor is \(filler)")
            for text in [error.source, error.message, error.description] {
                #expect(!text.contains("SECRET"), "\(text)")
                #expect(text.utf8.count <= 1_400)
            }
            #expect(error.message.contains(" is not there, nor is xxx"), "\(error.message)")
        }
    }

    @Test func `a reason of many words is shortened as a whole`() {
        let reason = QuotedText.reason(String(repeating: "word ", count: 10_000) + "end")
        #expect(reason.utf8.count <= QuotedText.reasonBytes && reason.hasSuffix("end"))
        #expect(QuotedText.reason("file name too long") == "file name too long")
    }

    @Test func `a label of megabytes is shortened before it is measured`() {
        var most = 0
        _ = ShortenedText.middle(String(repeating: "x", count: 5_000_000)) { text in
            most = max(most, text.utf8.count)
            return text.count <= 20
        }
        #expect(most <= 2_000)
    }
}
