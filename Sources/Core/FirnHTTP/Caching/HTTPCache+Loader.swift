public import FirnCache
public import FirnData

extension HTTPCache {
    /// Creates a cache over a loader of this library. The store is used on threads that may block.
    ///
    /// - Parameters:
    ///   - configuration: the loader's settings. The cache overrides three of them: every status is delivered,
    ///     redirects are not followed, and bodies stay encoded. Default: the standard settings.
    ///   - store: the store of the responses, for the exclusive use of this cache.
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
