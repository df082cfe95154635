@_exported public import FirnCache
import FirnSync
import Synchronization

/// Loads bytes over HTTP and HTTPS (1.1, and 2 if a TLS server offers it).
///
/// A transfer is reported as ``/FirnData/DataLoading`` defines: `response`, chunks as they arrive, one `end`. The
/// loader follows redirects and decodes `gzip` and `deflate`. A status other than 200 to 299, or 304 for a conditional
/// request, ends the transfer with ``/FirnData/DataLoadingError/Cause/status(_:)`` and no response; ``Configuration``
/// can make the loader deliver every response. The loader caches nothing. It retries nothing (the pipeline does, by its
/// ``/FirnData/DataRetryPolicy``), except a request on a connection that its server was just closing.
/// ``/FirnData/DataTransfer/metrics`` has the times and bytes of a transfer.
///
/// Creating a loader is cheap: threads and connections start with the first request. When the loader and its last
/// transfer are released, its idle connections are closed. All events arrive on one thread of the loader's choice.
public final class DataLoader: DataLoading {
    /// The settings of a loader: time limits, header fields, redirects, TLS, proxies, allowed addresses.
    public typealias Configuration = LoaderConfiguration

    /// The settings that the loader was created with.
    public let configuration: Configuration

    private let engine = Locked<LoaderEngine?>(nil)
    /// True if a pipeline limits the transfers per host.
    private let isScheduled = Atomic<Bool>(false)

    /// Creates a loader. Nothing starts before the first transfer.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Leaves the limit of transfers per host to a pipeline, unless the configuration has one. Takes effect only
    /// before the first transfer.
    package func joinPipeline() { isScheduled.store(true, ordering: .relaxed) }

    /// Returns the request with the configuration's header fields. The user and password of its address become
    /// `Authorization`.
    public func completed(_ request: DataRequest) -> DataRequest {
        var sent = configuration.completed(request)
        if sent.headers["Authorization"] == nil, sent.url.utf8.contains(UInt8(ascii: "@")),
            let credentials = RequestAddress(sent.url)?.credentials
        {
            sent.headers["Authorization"] = credentials
        }
        return sent
    }

    /// Starts a transfer and returns at once.
    ///
    /// Ends with ``/FirnData/DataLoadingError/Cause/badAddress`` if the address is not an absolute `http` or `https`
    /// one, and with ``/FirnData/DataLoadingError/Cause/connection`` if the process has no file descriptors left. A
    /// request marked ``/FirnData/DataRequest/isUntrusted``, and a redirect, may end with
    /// ``/FirnData/DataLoadingError/Cause/forbidden``; see ``NetworkPolicy``. A ``/FirnData/DataRequest/priority``
    /// other than the default is sent as `Priority: u=` (RFC 9218). Cancelling closes the connection. A paused transfer
    /// applies back-pressure to its sender. Its idle time does not count, and it uses no slot of
    /// ``LoaderConfiguration/transfersPerHost``.
    public func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let engine: LoaderEngine
        do throws(DataLoadingError) {
            engine = try self.engine.withLock { (started: inout LoaderEngine?) throws(DataLoadingError) in
                if let started { return started }
                var settings = configuration
                if isScheduled.load(ordering: .relaxed) {
                    settings.transfersPerHost = settings.transfersPerHost ?? .max
                }
                let fresh = try LoaderEngine(settings)
                started = fresh
                return fresh
            }
        } catch {
            receive(.end(error))
            return EndedTransfer()
        }
        let transfer = HTTPTransfer(configuration.completed(request), engine, receive)
        transfer.start()
        return transfer
    }
}

extension DataLoading where Self == DataLoader {
    /// Returns an HTTP loader. `configure` changes the default settings.
    public static func http(_ configure: (inout DataLoader.Configuration) -> Void = { _ in }) -> DataLoader {
        var configuration = DataLoader.Configuration()
        configure(&configuration)
        return DataLoader(configuration: configuration)
    }
}

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
