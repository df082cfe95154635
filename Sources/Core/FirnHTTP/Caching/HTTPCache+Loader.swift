public import FirnCache
public import FirnData

extension HTTPCache {
    /// Creates a cache over a loader of this library. The store is used on threads that may block.
    ///
    /// - Parameters:
    ///   - configuration: the loader's settings. Whatever they are, the loader delivers every status, follows no
    ///     redirects and leaves bodies encoded. Default: the standard settings.
    ///   - store: the store of the responses, used by this cache alone.
    ///   - policy: the rules for storing and reusing responses. Default: those of a private cache.
    public convenience init(
        configuration: DataLoader.Configuration = DataLoader.Configuration(), store: any DataCaching,
        policy: HTTPCachePolicy = HTTPCachePolicy()
    ) {
        var configuration = configuration
        configuration.acceptsAnyStatus = true
        configuration.followsRedirects = false
        configuration.decompresses = false
        self.init(
            loader: DataLoader(configuration: configuration), store: store, policy: policy, undoesCodings: false,
            run: HTTPCache.onThread)
    }
}
