import FirnData
import FirnImage
import FirnSync
import FoundationEssentials

/// What may differ from request to request: the pipeline's delegate, as the stages see it.
///
/// Called without any lock, on any thread.
protocol StageChoices: AnyObject, Sendable {
    func loader(for request: ImageRequest) -> any DataLoading
    func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)?
    func imageCache(for request: ImageRequest) -> (any ImageCaching)?
    func dataCache(for request: ImageRequest) -> (any DataCaching)?
    func encoder(for context: ImageEncodingContext) -> (any ImageEncoding)?
    /// A data cache could not do as asked; the load goes on.
    func failed(_ error: DataCachingError, for request: ImageRequest)
    /// What is sent, just before it is.
    func prepared(_ sent: DataRequest, for request: ImageRequest) async throws -> DataRequest
    /// What is to be kept of bytes on disk.
    func kept(_ data: Data, for request: ImageRequest) async -> Data?
}

extension StageChoices {
    /// What is sent, where the delegate says so at once; the request as it is, where it has to wait for something.
    func preparedAtOnce(_ sent: DataRequest, for request: ImageRequest) -> DataRequest {
        let answer = Locked<DataRequest?>(nil)
        let task = Task.immediateDetached {
            let prepared = try? await self.prepared(sent, for: request)
            answer.withLock { $0 = prepared }
        }
        if let prepared = answer.withLock({ $0 }) { return prepared }
        task.cancel()
        return sent
    }
}
