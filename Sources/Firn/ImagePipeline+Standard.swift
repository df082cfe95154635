public import FirnPipeline
import Synchronization

extension ImagePipeline {
    /// The shared pipeline: every format of this build, HTTP with its rules of caching, and the caches of the process
    /// in memory and on disk.
    ///
    /// Can be replaced by another pipeline. Code that holds the former one keeps it.
    public static var shared: ImagePipeline {
        get { sharedPipeline.withLock { $0 } }
        set { sharedPipeline.withLock { $0 = newValue } }
    }

    private static let sharedPipeline = Mutex(ImagePipeline())

    /// Creates a pipeline like the shared one, with the same caches and with what `configure` changes.
    ///
    /// ```swift
    /// let pipeline = ImagePipeline { $0.dataCache = .disk(at: folder, limit: 200 << 20) }
    /// ```
    /// - Parameters:
    ///   - delegate: chooses parts for each request and receives the events of tasks. Default: `nil`.
    ///   - configure: changes the settings, in any order. Default: changes nothing.
    public convenience init(
        delegate: (any Delegate)? = nil,
        _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) {
        var configuration = ImagePipeline.Configuration()
        configure(&configuration)
        self.init(configuration: configuration, delegate: delegate)
    }
}

extension ImagePrefetcher {
    /// A prefetcher of the shared pipeline; see
    /// ``/FirnPipeline/ImagePrefetcher/init(pipeline:destination:maxConcurrentRequestCount:)``.
    public convenience init(destination: Destination = .memoryCache, maxConcurrentRequestCount: Int = 2) {
        self.init(
            pipeline: .shared, destination: destination, maxConcurrentRequestCount: maxConcurrentRequestCount)
    }
}
