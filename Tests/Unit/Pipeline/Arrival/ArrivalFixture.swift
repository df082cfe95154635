import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials

/// A pipeline whose images arrive by hand and are decoded as they do.
struct ArrivalFixture {
    static let url = "https://example.org/large"
    static let size = PixelSize(width: 40, height: 30)
    let loader = ScriptedLoader()
    let decoder = ScriptedProgressiveDecoder()
    let pipeline: ImagePipeline

    init(_ change: (inout ImagePipeline.Configuration) -> Void = { _ in }) {
        loader.respondByHand(to: ArrivalFixture.url)
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [decoder])
        configuration.computingLimit = 2
        // The bytes come as fast as a test sends them: what is to be shown of them is not a question of time here.
        configuration.scheduling.previewTimeThreshold = .zero
        change(&configuration)
        pipeline = ImagePipeline(configuration: configuration)
    }

    func task(_ change: (inout ImageRequest) -> Void = { _ in }) -> ImageTask {
        var request = ImageRequest(url: ArrivalFixture.url)
        change(&request)
        return pipeline.imageTask(with: request)
    }

    /// The transfer, once the loader has been asked, with its answer given.
    func answered(_ length: Int?, number: Int = 1, tag: String? = nil) async -> ScriptedTransfer {
        let transfer = await loader.waitForRequest(ArrivalFixture.url, number: number)
        var headers = HTTPHeaderFields()
        headers["ETag"] = tag
        transfer.respond(
            DataResponse(url: ArrivalFixture.url, status: 200, headers: headers, expectedLength: length))
        return transfer
    }

    /// The value of an image's first pixel: 255 in the image itself, less in its previews.
    static func brightness(_ image: Bitmap) -> UInt8 { image.withUnsafeBytes { $0.first ?? 0 } }
}
