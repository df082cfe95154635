import FirnCache
import FirnData

extension ServeSettings {
    /// The directories in the folder of the disk cache: bytes of sources, results, tiles of large images.
    static let cacheNames = ["sources", "results", "tiles"]

    /// Checks, at the start, that no other user can forge results.
    ///
    /// - Throws: ``ConfigurationError`` if other users can write to the folder of the disk cache and it is not shared.
    package func checkCache() throws(ConfigurationError) {
        guard let cacheDirectory, !isCacheShared else { return }
        do throws(DataCachingError) {
            try DataCache.check(directory: cacheDirectory, making: ServeSettings.cacheNames)
        } catch {
            throw ConfigurationError(
                "cache: \(error.message); name a folder of your own, or set shared-cache")
        }
    }
}
