import Firn
import Foundation
import FoundationNetworking

// Read by Scripts/check-migration, not compiled: delegates of Nuke's kind that compile as `ImagePipeline.Delegate`.

final class Signing: ImagePipeline.Delegate {
    func willLoadData(  // not called
        for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline
    ) async throws -> URLRequest {
        urlRequest
    }

    func willCache(data: Data, for request: ImageRequest, pipeline: ImagePipeline) async -> Data? { data }
}

extension Signing {
    func imageEncoder(  // not called
        for context: ImageEncodingContext, pipeline: ImagePipeline
    ) -> any ImageEncoding { .png() }

    func imageTaskDidCancel(  // not called
        _ task: ImageTask, pipeline: ImagePipeline
    ) {}
}
