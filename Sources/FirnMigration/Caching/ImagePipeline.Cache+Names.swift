public import Firn
import Foundation

extension ImagePipeline.Cache {
    /// Returns the bytes of a request on disk.
    @_disfavoredOverload
    public func cachedData(for request: ImageRequest) -> Data? {
        let entry: DataCacheEntry? = cachedData(for: request)
        return entry?.data
    }

    /// Keeps bytes on disk, as if they had been loaded. A failed write is ignored.
    public func storeCachedData(_ data: Data, for request: ImageRequest) {
        try? storeCachedData(DataCacheEntry(data: data), for: request)
    }
}
