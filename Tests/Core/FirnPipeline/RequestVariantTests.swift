import FirnData
import FirnImage
import Testing

@testable import FirnPipeline

/// Tests variants of a request in a view's size, layout and priority.
struct RequestVariantTests {
    private let request = ImageRequest(url: "https://example.org/a.jpg")
    private let cell = TargetSize(180, mode: .fill)

    @Test func `A fitted request equals the same request made by hand`() {
        var expected = request
        expected.targetSize = cell
        expected.pixelFormat = .rgb8
        let fitted = request.fitted(to: cell, format: .rgb8, priority: .low)
        #expect(fitted.imageCacheKey == expected.imageCacheKey)
        #expect(fitted.imageCacheKey.string == "https://example.org/a.jpg|rgb8|size=180x180,fill")
        #expect((fitted.targetSize, fitted.pixelFormat, fitted.priority) == (cell, .rgb8, .low))
        #expect((request.targetSize, request.priority) == (nil, .normal))
    }

    @Test func `No address is taken for a variant of another`() {
        let fitted = request.fitted(to: cell, format: .rgb8)
        let posing = ImageRequest(url: fitted.imageCacheKey.string)
        #expect(posing.imageCacheKey.string == "https://example.org/a.jpg%7Crgb8%7Csize=180x180,fill")
        #expect(posing.dataCacheKey == posing.imageCacheKey.string)
        var flagged = request
        flagged.options = .disableDiskCacheReads
        let resource = flagged.identities.resource
        #expect(ImageRequest(url: resource.text).identities.resource != resource)
    }

    @Test func `The last two variants are remembered`() {
        let seen = request.fitted(to: cell, format: .rgb8)
        let ahead = request.fitted(to: cell, format: .rgb8, priority: .low)
        #expect(request.fitted(to: cell, format: .rgb8).storage === seen.storage)
        #expect(request.fitted(to: cell, format: .rgb8, priority: .low).storage === ahead.storage)
        _ = request.fitted(to: cell, format: .bgra8Premultiplied)
        #expect(request.fitted(to: cell, format: .rgb8).storage !== seen.storage)
    }

    @Test func `A request that already fits is returned unchanged`() {
        #expect(request.fitted(to: nil, format: nil).storage === request.storage)
        #expect(request.fitted(to: nil, format: .bgra8Premultiplied, priority: .normal).storage === request.storage)
    }

    @Test func `A change of the request forgets its variants`() {
        var request = ImageRequest(url: "https://example.org/b.jpg")
        let before = request.fitted(to: cell, format: nil)
        request.options = .disableMemoryCacheReads
        let after = request.fitted(to: cell, format: nil)
        #expect(after.storage !== before.storage)
        #expect(after.options == .disableMemoryCacheReads)
        #expect(before.options == [])
    }

    @Test func `Changing a variant does not change the remembered one`() {
        var fitted = request.fitted(to: cell, format: nil)
        fitted.priority = .veryHigh
        #expect(request.fitted(to: cell, format: nil).priority == .normal)
    }
}
