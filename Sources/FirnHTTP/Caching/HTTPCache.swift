public import FirnData
import FirnSync
import FoundationEssentials

/// A cache as RFC 9111 describes it, for any content: a loader over another loader and a store of entries.
///
/// A GET or HEAD that a kept answer may serve is answered by it, with an `Age`; one that it may serve after a check is checked
/// with a conditional request; any other request goes to the loader below as it is, body and all, and what comes back is
/// handed on as it comes and kept where ``HTTPCachePolicy`` allows it. Range requests are served from kept whole bodies and from kept
/// parts; parts are put together, and completed, under a strong validator.
/// Methods that change something make what is kept of their address forgotten.
///
/// The loader below should hand on every status, follow no redirects and leave bodies as they are (see
/// ``DataLoader/Configuration``); the answers of one that does otherwise are cached as far as it shows them.
/// Bodies that are kept are held in memory until they are whole. A store that fails makes misses, never failed loads.
public final class HTTPCache: DataLoading {
    /// What is kept, and how it is used.
    public let policy: HTTPCachePolicy
    /// The longest body that is kept, in bytes.
    public let bodyLimit: Int

    let loader: any DataLoading
    let store: ResponseStore
    let now: @Sendable () -> Duration
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Whether the loader below undoes content codings, so that what is kept has none.
    let undoesCodings: Bool
    private let numbers = Locked(HTTPCacheStatistics())
    /// What is being checked behind its readers' backs.
    private let checking = Locked<Set<String>>([])

    /// A cache over a loader and a store.
    ///
    /// - Parameters:
    ///   - store: where answers are kept; nothing else should be in it.
    ///   - undoesCodings: whether `loader` undoes `Content-Encoding`.
    ///   - bodyLimit: bytes of the longest body that is kept. Default: 64 MiB.
    ///   - now: time since 1970; by default the system's clock.
    ///   - run: runs blocking work (reads and writes of the store) on a thread that may wait, in any order.
    public init(
        loader: any DataLoading, store: any DataCaching, policy: HTTPCachePolicy, undoesCodings: Bool,
        bodyLimit: Int = 64 << 20, now: (@Sendable () -> Duration)? = nil,
        run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.loader = loader
        self.store = ResponseStore(store)
        self.policy = policy
        self.undoesCodings = undoesCodings
        self.bodyLimit = bodyLimit
        self.now = now ?? { .sinceEpoch() }
        self.run = run
    }

    /// What the cache has done so far.
    package var statistics: HTTPCacheStatistics { numbers.withLock { $0 } }

    /// The request as the loader below sends it.
    public func completed(_ request: DataRequest) -> DataRequest { loader.completed(request) }

    /// Answers a request, from what is kept or from the loader below.
    ///
    /// With `only-if-cached` in its `Cache-Control` and nothing kept that may serve, the answer has status 504 and no body.
    public func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        let transfer = CachedTransfer(request, self, receive)
        transfer.start()
        return transfer
    }

    var moment: Int64 { now().nanoseconds }

    func count(_ change: (inout HTTPCacheStatistics) -> Void) { numbers.withLock { change(&$0) } }

    /// Checks a kept answer that is being served meanwhile, unless that is under way already.
    func revalidate(_ found: ResponseStore.Found, _ request: DataRequest) {
        guard checking.withLock({ $0.insert(found.key).inserted }) else { return }
        let transfer = CachedTransfer(request, self) { [self] event in
            if case .end = event { checking.withLock { _ = $0.remove(found.key) } }
        }
        transfer.startRevalidating(found)
    }
}
