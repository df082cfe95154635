import FirnMigration
import Foundation
import FoundationNetworking
import Synchronization

/// Customizes a pipeline's loader, requests and cache keys.
///
/// Unchanged from Nuke except for the protocol's name: `NukeDelegate` instead of `ImagePipeline.Delegate`.
final class GalleryDelegate: NukeDelegate {
    private let loader: PhotoLoader
    private let signed = Atomic<Int>(0)

    init(image: Data) { loader = PhotoLoader(image: image) }

    var sent: Int { signed.load(ordering: .relaxed) }

    func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading { loader }

    /// Signs every request.
    func willLoadData(
        for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline
    ) async throws -> URLRequest {
        if request.description.contains("secret") { throw NotAllowed() }
        signed.wrappingAdd(1, ordering: .relaxed)
        var signed = urlRequest
        signed.setValue("Bearer example", forHTTPHeaderField: "Authorization")
        return signed
    }

    /// Ignores the token, which does not change the image.
    func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String? {
        request.description.split(separator: "?").first.map { String($0) }
    }

    private struct NotAllowed: Error, CustomStringConvertible {
        var description: String { "secret photos are not for everybody" }
    }
}
