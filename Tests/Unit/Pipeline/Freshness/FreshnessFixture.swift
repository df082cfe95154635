import FirnCache
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials

/// A pipeline that follows HTTP, over a source that computes its answers and a clock set by hand.
final class FreshnessFixture: Sendable {
    let source: AnsweringLoader
    let files = InMemoryFileSystem()
    let decoder: ScriptedDecoder
    let pipeline: ImagePipeline
    static let url = "http://a.example/x"
    private let seconds: Locked<Int64>

    /// A picture whose width is what tells it from others.
    static func picture(_ width: Int, _ headers: HTTPFields = HTTPFields()) -> PictureAnswer {
        PictureAnswer(headers: headers, width: width)
    }

    struct PictureAnswer {
        var status = 200
        var headers = HTTPFields()
        var width: Int?
        var end: DataLoadingError?
    }

    /// - Parameter answer: is given the request and how many there were before it.
    init(
        memory: Bool = true, disk: Bool = true, files: InMemoryFileSystem? = nil,
        decoder: ScriptedDecoder = ScriptedDecoder(), _ change: (inout ImagePipeline.Configuration) -> Void = { _ in },
        _ answer: @escaping @Sendable (DataRequest, Int) -> PictureAnswer
    ) {
        self.decoder = decoder
        let seconds = Locked<Int64>(Caching.start)
        self.seconds = seconds
        let now: @Sendable () -> Duration = { .seconds(seconds.withLock { $0 }) }
        source = AnsweringLoader(pictures: answer)
        var configuration = ImagePipeline.Configuration(dataLoader: source, decoders: [decoder])
        configuration.responseCachePolicy = HTTPCachePolicy.pictures
        configuration.now = now
        if memory { configuration.imageCache = ImageCache() }
        if disk { configuration.dataCache = DataCache(directory: "/c", fileSystem: files ?? self.files, now: now) }
        change(&configuration)
        pipeline = ImagePipeline(configuration: configuration)
    }

    func wait(_ time: Int64) { seconds.withLock { $0 += time } }

    var requests: [DataRequest] { source.requests }

    /// Loads the picture; its width, once all that is to be kept is kept.
    func load(_ request: ImageRequest = ImageRequest(url: FreshnessFixture.url)) async throws -> ImageResponse {
        let response = try await pipeline.imageTask(with: request).response
        await pipeline.flush()
        return response
    }

    func width() async throws -> Int { try await load().image.size.width }
}

extension AnsweringLoader {
    convenience init(pictures: @escaping @Sendable (DataRequest, Int) -> FreshnessFixture.PictureAnswer) {
        self.init { request, number in
            let picture = pictures(request, number)
            var answer = Answer(status: picture.status, headers: picture.headers, end: picture.end)
            if let width = picture.width {
                answer.data = ScriptedDecoder.picture(PixelSize(width: width, height: 30))
            } else if picture.status >= 400 {
                // As the HTTP loader has it.
                answer.hasResponse = false
                answer.end = DataLoadingError(.status(picture.status), "the server answered \(picture.status)")
            }
            if picture.end != nil { answer.hasResponse = picture.width != nil }
            return answer
        }
    }
}
