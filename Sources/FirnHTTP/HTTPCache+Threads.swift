public import FirnData
import NIOPosix

extension HTTPCache {
    /// A cache over a loader of this library, which it reads and writes on NIO's threads for blocking work.
    ///
    /// - Parameters:
    ///   - configuration: what is allowed to the network; whatever it says, every status is handed on, redirects are not followed
    ///     and bodies are left as they are.
    ///   - store: where answers are kept; nothing else should be in it.
    public convenience init(
        configuration: DataLoader.Configuration = DataLoader.Configuration(), store: any DataCaching,
        policy: HTTPCachePolicy = HTTPCachePolicy()
    ) {
        var configuration = configuration
        configuration.acceptsAnyStatus = true
        configuration.followsRedirects = false
        configuration.decompresses = false
        self.init(
            loader: DataLoader(configuration: configuration), store: store, policy: policy, undoesCodings: false
        ) { work in
            NIOThreadPool.singleton.submit { _ in work() }
        }
    }
}
