import FirnData
import FirnImage
import FirnPipeline
import Testing

/// Tests requests in the size and the pixel layout of a view.
@Suite struct FittedRequestTests {
    private let size = TargetSize(width: 40, height: 30, mode: .fill)

    @Test(arguments: ["https://example.org/a", "file:///tmp/a%20b.jpg", "data:,x"])
    func `A request fitted in one step is the one changed step by step`(_ url: String) {
        let request = ImageRequest(url: url)
        var changed = request
        changed.targetSize = size
        changed.pixelFormat = .rgb8
        let fitted = request.fitted(to: size, format: .rgb8)
        #expect(fitted.imageCacheKey == changed.imageCacheKey)
        #expect(fitted.dataCacheKey == changed.dataCacheKey)
        #expect(fitted.targetSize == size)
        #expect(fitted.pixelFormat == .rgb8)
        #expect(request.targetSize == nil, "the request it was made from is as before")
    }

    @Test func `The request's values apply if the view sets none`() {
        var request = ImageRequest(url: "https://example.org/a", targetSize: size)
        request.pixelFormat = .rgb8
        #expect(request.fitted(to: nil, format: nil).imageCacheKey == request.imageCacheKey)
        #expect(request.fitted(to: nil, format: .bgra8Premultiplied).targetSize == size)
        #expect(
            request.fitted(to: TargetSize(1), format: nil).pixelFormat == .rgb8)
    }
}
