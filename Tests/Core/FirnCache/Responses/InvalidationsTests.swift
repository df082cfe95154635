import Testing

@testable import FirnCache

/// Tests which responses are older than an invalidation.
@Suite struct InvalidationsTests {
    @Test func `An address is invalid for work that began before, and valid for work that began after`() {
        var invalidations = Invalidations()
        let before = invalidations.latest
        invalidations.add("HTTP://a.example:80/x#part")
        #expect(invalidations.contains("http://a.example/x", after: before))
        #expect(!invalidations.contains("http://a.example/y", after: before))
        #expect(!invalidations.contains("http://a.example/x", after: invalidations.latest))
    }

    @Test func `After many invalidations, work that began before forgotten ones is invalid`() {
        var invalidations = Invalidations()
        for number in 0..<5_000 { invalidations.add("http://a.example/\(number)") }
        #expect(invalidations.contains("http://a.example/other", after: 0))
        #expect(invalidations.contains("http://a.example/4999", after: 4_999))
        #expect(!invalidations.contains("http://a.example/other", after: 4_999))
    }
}
