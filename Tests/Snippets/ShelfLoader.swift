import Firn
import FoundationEssentials

// snippet.shelf
/// Serves `shelf:` addresses from memory, and passes all others to the network.
final class ShelfLoader: DataLoading {
    private let network = DataLoader()
    private let shelf: [String: Data]

    init(shelf: [String: Data]) { self.shelf = shelf }

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        guard request.url.hasPrefix("shelf:") else {
            return network.startLoading(request, receive: receive)
        }
        if let data = shelf[request.url] {
            let length = data.count
            receive(.response(DataResponse(url: request.url, expectedLength: length)))
            receive(.chunk(data))
            receive(.end(nil))
        } else {
            receive(.end(DataLoadingError(.unreadable, "is not on the shelf")))
        }
        return EndedTransfer()
    }
}

/// A transfer that has ended before it is returned.
struct EndedTransfer: DataTransfer {
    func cancel() {}
    func pause() {}
    func resume() {}
}
// snippet.end

enum ShelfUse {
    static func pipeline(_ shelf: [String: Data]) -> ImagePipeline {
        // snippet.shelf-use
        let pipeline = ImagePipeline { configuration in
            configuration.dataLoader = ShelfLoader(shelf: shelf)
        }
        // snippet.end
        return pipeline
    }

    static func closure(_ database: @escaping @Sendable (Int) async throws -> Data) -> ImageRequest {
        // snippet.closure
        let request = ImageRequest(id: "avatar-17") { try await database(17) }
        // snippet.end
        return request
    }
}

// snippet.delegate
/// Signs requests, and ignores the token of an address in cache keys.
final class SigningDelegate: ImagePipeline.Delegate {
    func willLoadData(
        for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
    ) async throws -> DataRequest {
        var signed = dataRequest
        signed.headers["Authorization"] = "Bearer example"
        return signed
    }

    func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String? {
        request.description.split(separator: "?").first.map { String($0) }
    }
}
// snippet.end
