public import FirnPipeline

extension ImagePrefetcher {
    /// A prefetcher of the shared pipeline; see
    /// ``/FirnPipeline/ImagePrefetcher/init(pipeline:destination:maxConcurrentRequestCount:on:)``.
    public convenience init(destination: Destination = .memoryCache, maxConcurrentRequestCount: Int = 2) {
        self.init(
            pipeline: .shared, destination: destination, maxConcurrentRequestCount: maxConcurrentRequestCount)
    }
}
