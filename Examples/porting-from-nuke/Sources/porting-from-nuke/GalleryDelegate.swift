import FirnMigration
import Foundation
import FoundationNetworking
import Synchronization

/// A pipeline that differs from the default in its loader, its requests, and its identities.
///
/// As it was written for Nuke, but for the protocol's name: `NukeDelegate` instead of `ImagePipeline.Delegate`.
final class GalleryDelegate: NukeDelegate {
    private let loader: PhotoLoader
    private let signed = Atomic<Int>(0)

    init(image: Data) { loader = PhotoLoader(image: image) }

    var sent: Int { signed.load(ordering: .relaxed) }

    func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading { loader }

    /// Every request is signed.
    func willLoadData(
        for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline
    ) async throws -> URLRequest {
        if request.description.contains("secret") { throw NotAllowed() }
        signed.wrappingAdd(1, ordering: .relaxed)
        var signed = urlRequest
        signed.setValue("Bearer example", forHTTPHeaderField: "Authorization")
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
