import FirnData
import FirnImage
import FoundationEssentials

// What a request is worked with: the pipeline's parts, or those that its delegate chooses.
extension StageEnvironment {
    func imageCache(for request: ImageRequest) -> (any ImageCaching)? {
        choices == nil ? imageCache : choices?.imageCache(for: request)
    }

    func dataCache(for request: ImageRequest) -> (any DataCaching)? {
        choices == nil ? dataCache : choices?.dataCache(for: request)
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
        return decoders.first { $0.recognises(head) != nil }
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
