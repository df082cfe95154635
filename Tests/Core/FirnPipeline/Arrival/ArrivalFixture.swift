import FirnData
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials
import TestSupport

/// A pipeline whose images arrive by hand and are decoded while they arrive.
struct ArrivalFixture {
    static let url = "https://example.org/large"
    static let size = PixelSize(width: 40, height: 30)
    let loader = ScriptedLoader()
    let decoder = ScriptedProgressiveDecoder()
    let pipeline: ImagePipeline

    init(
        delegate: (any ImagePipeline.Delegate)? = nil, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) {
        loader.respondByHand(to: ArrivalFixture.url)
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [decoder])
        configuration.scheduling.computingLimit = 2
        // The bytes arrive as fast as a test sends them, so previews must not depend on time here.
        configuration.scheduling.previewTimeThreshold = .zero
        change(&configuration)
        pipeline = ImagePipeline(configuration: configuration, delegate: delegate)
    }

    func task(_ change: (inout ImageRequest) -> Void = { _ in }) -> ImageTask {
        var request = ImageRequest(url: ArrivalFixture.url)
        change(&request)
        return pipeline.imageTask(with: request)
    }

    /// Waits for the transfer and sends its response.
    func responded(_ length: Int?, number: Int = 1, tag: String? = nil) async -> ScriptedTransfer {
        let transfer = await loader.waitForRequest(ArrivalFixture.url, number: number)
        var headers = HTTPHeaderFields()
        headers["ETag"] = tag
        transfer.respond(
            DataResponse(url: ArrivalFixture.url, status: 200, headers: headers, expectedLength: length))
        return transfer
    }

    /// Returns the value of an image's first pixel: 255 in the final image, less in previews.
    static func brightness(_ image: Bitmap) -> UInt8 { image.withUnsafeBytes { $0.first ?? 0 } }
}
