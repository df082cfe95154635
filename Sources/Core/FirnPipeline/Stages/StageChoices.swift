import FirnData
import FirnImage
import FirnSync
import FoundationEssentials

/// The choices of the pipeline's delegate for a request. Called without a lock, on any thread.
protocol StageChoices: AnyObject, Sendable {
    func loader(for request: ImageRequest) -> any DataLoading
    func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)?
    func imageCache(for request: ImageRequest) -> (any ImageCaching)?
    func dataCache(for request: ImageRequest) -> (any DataCaching)?
    func encoder(for context: ImageEncodingContext) -> (any ImageEncoding)?
    /// Reports an error of a data cache. The load continues.
    func failed(_ error: DataCachingError, for request: ImageRequest)
    /// Returns the request to send. Called just before it is sent.
    func prepared(_ sent: DataRequest, for request: ImageRequest) async throws -> DataRequest
    /// Returns the bytes to store on disk; `nil` for none.
    func kept(_ data: Data, for request: ImageRequest) async -> Data?
}

extension StageChoices {
    /// Returns the request to send if the delegate returns without a suspension; otherwise `sent`.
    func preparedAtOnce(_ sent: DataRequest, for request: ImageRequest) -> DataRequest {
        let result = Locked<DataRequest?>(nil)
        let task = Task.immediateDetached {
            let prepared = try? await self.prepared(sent, for: request)
            result.withLock { $0 = prepared }
        }
        if let prepared = result.withLock({ $0 }) { return prepared }
        task.cancel()
        return sent
    }
}
