import FirnCache
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import TestSupport

/// A pipeline that follows HTTP's caching rules, over a source that computes its responses and a clock set by hand.
final class FreshnessFixture: Sendable {
    let source: RespondingLoader
    let files = InMemoryFileSystem()
    let decoder: ScriptedDecoder
    let pipeline: ImagePipeline
    static let url = "http://a.example/x"
    private let seconds: Locked<Int64>

    /// Returns an image that is identified by its width.
    static func image(_ width: Int, _ headers: HTTPHeaderFields = HTTPHeaderFields()) -> SourceResponse {
        SourceResponse(headers: headers, width: width)
    }

    struct SourceResponse {
        var status = 200
        var headers = HTTPHeaderFields()
        var width: Int?
        var end: DataLoadingError?
    }

    /// - Parameter respond: computes the response from the request and the number of earlier requests.
    init(
        memory: Bool = true, disk: Bool = true, files: InMemoryFileSystem? = nil,
        decoder: ScriptedDecoder = ScriptedDecoder(), delegate: (any ImagePipeline.Delegate)? = nil,
        _ change: (inout ImagePipeline.Configuration) -> Void = { _ in },
        _ respond: @escaping @Sendable (DataRequest, Int) -> SourceResponse
    ) {
        self.decoder = decoder
        let seconds = Locked<Int64>(Caching.start)
        self.seconds = seconds
        let now: @Sendable () -> Duration = { .seconds(seconds.withLock { $0 }) }
        source = RespondingLoader(images: respond)
        var configuration = ImagePipeline.Configuration(dataLoader: source, decoders: [decoder])
        configuration.httpCachePolicy = HTTPCachePolicy.images
        configuration.now = now
        if memory { configuration.imageCache = ImageCache() }
        if disk { configuration.dataCache = DataCache(directory: "/c", fileSystem: files ?? self.files, now: now) }
        change(&configuration)
        pipeline = ImagePipeline(configuration: configuration, delegate: delegate)
    }

    func wait(_ time: Int64) { seconds.withLock { $0 += time } }

    var requests: [DataRequest] { source.requests }

    /// Loads the image and waits until everything is stored.
    func load(_ request: ImageRequest = ImageRequest(url: FreshnessFixture.url)) async throws -> ImageResponse {
        let response = try await pipeline.imageTask(with: request).response
        await pipeline.flush()
        return response
    }

    func width() async throws -> Int { try await load().image.size.width }
}

extension RespondingLoader {
    convenience init(images: @escaping @Sendable (DataRequest, Int) -> FreshnessFixture.SourceResponse) {
        self.init { request, number in
            let image = images(request, number)
            var response = Response(status: image.status, headers: image.headers, end: image.end)
            if let width = image.width {
                response.data = ScriptedDecoder.image(PixelSize(width: width, height: 30))
            } else if image.status >= 400 {
                // As the HTTP loader does.
                response.hasResponse = false
                response.end = DataLoadingError(.status(image.status), "the server responded with \(image.status)")
            }
            if image.end != nil { response.hasResponse = image.width != nil }
            return response
        }
    }
}
