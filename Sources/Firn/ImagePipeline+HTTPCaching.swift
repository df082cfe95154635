#if FIRN_HTTP
    public import FirnHTTP
    public import FirnPipeline

    extension ImagePipeline.Configuration {
        /// The rules by which answers to HTTP requests are kept and revalidated; `nil` if what is kept serves forever.
        ///
        /// A standard pipeline has ``/FirnHTTP/HTTPCachePolicy/images``.
        public var httpCachePolicy: HTTPCachePolicy? {
            get { responseCachePolicy as? HTTPCachePolicy }
            set { responseCachePolicy = newValue }
        }
    }
#endif
