#if HTTP
public import FirnHTTP
public import FirnPipeline

extension ImagePipeline.Configuration {
    /// The rules for storing and revalidating HTTP responses; `nil` if stored responses are always fresh.
    ///
    /// A standard pipeline has ``/FirnHTTP/HTTPCachePolicy/images``.
    public var httpCachePolicy: HTTPCachePolicy? {
        get { responseCachePolicy as? HTTPCachePolicy }
        set { responseCachePolicy = newValue }
    }
}
#endif
