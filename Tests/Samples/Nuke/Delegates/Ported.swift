import Firn
import FirnMigration
import Foundation
import FoundationNetworking

// Read by Scripts/check-migration, not compiled: a delegate whose methods are called, but for two.

final class Ported: NukeDelegate {
    func willLoadData(
        for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline
    ) async throws -> URLRequest { urlRequest }

    func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {}

    func imageTask(  // not called
        _ task: ImageTask, didReceivePreview response: ImageResponse, pipeline: ImagePipeline
    ) {}

    func shouldDecompress(  // not called
        response: ImageResponse, for request: ImageRequest, pipeline: ImagePipeline
    ) -> Bool { true }
}
