public import Firn
public import FoundationNetworking

extension DataLoader {
    /// Firn has a loader of its own and no `URLSession`.
    @available(
        *, unavailable,
        message:
            "use DataLoader(configuration: DataLoader.Configuration()), which has timeouts, header fields and limits"
    )
    public convenience init(configuration: URLSessionConfiguration) { self.init() }

    /// Firn has a loader of its own and no `URLSession`.
    @available(*, unavailable, message: "use DataLoader.Configuration()")
    public static var defaultConfiguration: URLSessionConfiguration { .default }

    /// HTTP caching is the pipeline's.
    @available(
        *, unavailable,
        message: "HTTP caching works on the pipeline's data cache: configuration.dataCache, or .withDataCache"
    )
    public static var sharedUrlCache: URLCache { URLCache(memoryCapacity: 0, diskCapacity: 0, diskPath: nil) }

    /// A status is judged by the loader.
    @available(*, unavailable, message: "use DataLoader.Configuration.acceptsAnyStatus, or a loader around DataLoader")
    public static func validate(response: URLResponse) -> (any Swift.Error)? { nil }

    /// Chunks are passed on as they arrive.
    @available(*, unavailable, message: "remove it: chunks are passed on as they come")
    public var prefersIncrementalDelivery: Bool {
        get { true }
        set {}
    }

    /// The error of a transfer.
    @available(*, unavailable, renamed: "DataLoadingError")
    public typealias Error = DataLoadingError
}

extension DataLoadingError {
    /// Returns the error for a status.
    @available(*, unavailable, message: "compare error.cause with .status(code)")
    public static func statusCodeUnacceptable(_ code: Int) -> DataLoadingError {
        DataLoadingError(.status(code), "status \(code)")
    }
}
