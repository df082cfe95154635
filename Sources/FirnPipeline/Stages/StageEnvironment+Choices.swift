import FirnData
import FirnImage
import FoundationEssentials
import Synchronization

// What a request is worked with: the pipeline's parts, or those that its delegate chooses.
extension StageEnvironment {
    func imageCache(for request: ImageRequest) -> (any ImageCaching)? {
        choices == nil ? imageCache : choices?.imageCache(for: request)
    }

    func dataCache(for request: ImageRequest) -> (any DataCaching)? {
        choices == nil ? dataCache : choices?.dataCache(for: request)
    }

    /// Whether there is one; without counting a reference where no delegate chooses.
    func hasDataCache(for request: ImageRequest) -> Bool {
        choices == nil ? dataCache != nil : choices?.dataCache(for: request) != nil
    }

    /// What an image is encoded by for the data cache.
    func encoder(_ container: ImageContainer, for request: ImageRequest) -> (any ImageEncoding)? {
        guard let choices else { return encoder }
        return choices.encoder(for: ImageEncodingContext(request: request, container: container))
    }

    /// The entry of a request in the data cache. A cache that fails is a cache that has nothing.
    func cachedEntry(_ key: String, for request: ImageRequest) -> DataCacheEntry? {
        guard let cache = dataCache(for: request) else { return nil }
        do throws(DataCachingError) {
            return try cache.entry(for: key)
        } catch {
            failedLookups.add(1, ordering: .relaxed)
            tell(error, of: request)
            return nil
        }
    }

    /// Tells whoever wants to know that a data cache failed.
    func tell(_ error: DataCachingError, of request: ImageRequest) {
        choices?.failed(error, for: request)
        observers?.tell(.dataCacheFailed(error, request), at: Duration.monotonic().nanoseconds)
    }

    /// The decoder of content that starts with `head`.
    func decoder(
        _ head: Data, _ response: DataResponse?, isFromDisk: Bool = false, for request: ImageRequest
    ) -> (any ImageDecoding)? {
        if let choices {
            let context = ImageDecodingContext(
                request: request, data: head, response: response, cacheType: isFromDisk ? .disk : nil)
            return choices.decoder(for: context)
        }
        return decoders.first { $0.recognizes(head) != nil }
    }

    /// Starts to load what a request sends, which may be less than its address has: the rest of a body.
    func startLoading(
        _ sent: DataRequest, for request: ImageRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        guard let choices else { return loader.startLoading(sent, receive: receive) }
        let transfer = PreparedTransfer(receive)
        transfer.start {
            try await choices.prepared(sent, for: request)
        } then: { sent in
            choices.loader(for: request).startLoading(sent, receive: receive)
        }
        return transfer
    }
}
