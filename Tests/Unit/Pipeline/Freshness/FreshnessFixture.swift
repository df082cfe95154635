import FirnCache
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials

/// A pipeline that follows HTTP's caching rules, over a source that computes its answers and a clock set by hand.
final class FreshnessFixture: Sendable {
    let source: AnsweringLoader
    let files = InMemoryFileSystem()
    let decoder: ScriptedDecoder
    let pipeline: ImagePipeline
    static let url = "http://a.example/x"
    private let seconds: Locked<Int64>

    /// Returns an image that is identified by its width.
    static func image(_ width: Int, _ headers: HTTPHeaderFields = HTTPHeaderFields()) -> ImageAnswer {
        ImageAnswer(headers: headers, width: width)
    }

    struct ImageAnswer {
        var status = 200
        var headers = HTTPHeaderFields()
        var width: Int?
        var end: DataLoadingError?
    }

    /// - Parameter answer: receives the request and the number of earlier requests.
    init(
        memory: Bool = true, disk: Bool = true, files: InMemoryFileSystem? = nil,
        decoder: ScriptedDecoder = ScriptedDecoder(), _ change: (inout ImagePipeline.Configuration) -> Void = { _ in },
        _ answer: @escaping @Sendable (DataRequest, Int) -> ImageAnswer
    ) {
        self.decoder = decoder
        let seconds = Locked<Int64>(Caching.start)
        self.seconds = seconds
        let now: @Sendable () -> Duration = { .seconds(seconds.withLock { $0 }) }
        source = AnsweringLoader(images: answer)
        var configuration = ImagePipeline.Configuration(dataLoader: source, decoders: [decoder])
        configuration.responseCachePolicy = HTTPCachePolicy.images
        configuration.now = now
        if memory { configuration.imageCache = ImageCache() }
        if disk { configuration.dataCache = DataCache(directory: "/c", fileSystem: files ?? self.files, now: now) }
        change(&configuration)
        pipeline = ImagePipeline(configuration: configuration)
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

extension AnsweringLoader {
    convenience init(images: @escaping @Sendable (DataRequest, Int) -> FreshnessFixture.ImageAnswer) {
        self.init { request, number in
            let image = images(request, number)
            var answer = Answer(status: image.status, headers: image.headers, end: image.end)
            if let width = image.width {
                answer.data = ScriptedDecoder.image(PixelSize(width: width, height: 30))
            } else if image.status >= 400 {
                // As the HTTP loader does.
                answer.hasResponse = false
                answer.end = DataLoadingError(.status(image.status), "the server responded with \(image.status)")
            }
            if image.end != nil { answer.hasResponse = image.width != nil }
            return answer
        }
    }
}
