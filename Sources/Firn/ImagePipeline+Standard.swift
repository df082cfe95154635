public import FirnPipeline
import Synchronization

extension ImagePipeline {
    /// The shared pipeline: every format of this build, HTTP, a memory cache, and nothing on disk.
    ///
    /// Can be replaced by another pipeline. Code that holds the former one keeps it.
    public static var shared: ImagePipeline {
        get { sharedPipeline.withLock { $0 } }
        set { sharedPipeline.withLock { $0 = newValue } }
    }

    private static let sharedPipeline = Mutex(ImagePipeline(configuration: ImagePipeline.Configuration()))

    /// A pipeline like the shared one, with the same memory cache.
    public convenience init(delegate: (any Delegate)? = nil) {
        self.init(configuration: ImagePipeline.Configuration(), delegate: delegate)
    }

    /// A pipeline like the shared one, with what `configure` changes.
    public convenience init(
        delegate: (any Delegate)? = nil, _ configure: (inout ImagePipeline.Configuration) -> Void
    ) {
        var configuration = ImagePipeline.Configuration.standard()
        configure(&configuration)
        self.init(configuration: configuration, delegate: delegate)
    }
}
