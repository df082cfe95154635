import Firn
import FoundationEssentials
import Synchronization

/// What differs from the default: who loads, what is sent, and what is one image.
final class GalleryDelegate: ImagePipelineDelegate {
    private let loader: PhotoLoader
    private let signed = Atomic<Int>(0)

    init(image: Data) { loader = PhotoLoader(image: image) }

    var sent: Int { signed.load(ordering: .relaxed) }

    func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading { loader }

    /// Every request is signed.
    func willLoadData(
        for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
    ) async throws -> DataRequest {
        if request.description.contains("secret") { throw NotAllowed() }
        signed.wrappingAdd(1, ordering: .relaxed)
        var signed = dataRequest
        signed.headers["Authorization"] = "Bearer example"
        return signed
    }

    /// Whatever the token is, it is one image.
    func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String? {
        request.description.split(separator: "?").first.map { String($0) }
    }

    private struct NotAllowed: Error, CustomStringConvertible {
        var description: String { "secret photos are not for everybody" }
    }
}
