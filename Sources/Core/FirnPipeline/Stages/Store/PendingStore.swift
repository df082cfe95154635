import FirnSync

/// A store that was requested, until its cache has it. A removal drops it, and lookups use its content.
final class PendingStore: Sendable {
    private struct State {
        var isDropped = false
        /// True if the cache is being called.
        var isCalling = false
        var waiting: [ThreadParker] = []
    }

    let content: StoredContent
    let request: ImageRequest
    /// The names under which lookups find the content; none for the first bytes of a body.
    let names: [Name]
    private let state = Locked(State())

    /// Identifies the content that a lookup needs.
    enum Name: Hashable {
        /// The entry of a key of the data cache.
        case entry(String)
        case encoded(ImageCacheKey)
        case bitmap(ImageCacheKey)
    }

    init(_ content: StoredContent, for request: ImageRequest) {
        self.content = content
        self.request = request
        names =
            switch content {
            case .original: [.entry(request.dataCacheKey)]
            case .encoded: [.entry(request.processedDataCacheKey), .encoded(request.imageCacheKey)]
            case .bitmap: [.bitmap(request.imageCacheKey)]
            case .part, .outdated: []
            }
    }

    /// Notes that the cache is called now.
    ///
    /// - Returns: false if a removal has dropped the store.
    func begin() -> Bool {
        state.withLock { state in
            if state.isDropped { return false }
            state.isCalling = true
            return true
        }
    }

    /// Notes that the call of the cache is over.
    func end() {
        let waiting = state.withLock { state in
            state.isCalling = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for parker in waiting { parker.unpark() }
    }

    /// Prevents the call of the cache, unless it has begun.
    func drop() { state.withLock { $0.isDropped = true } }

    /// The longest wait for a cache, in milliseconds. A cache that removes entries while it stores one would wait for
    /// itself.
    private static let patience: Int64 = 5_000

    /// Waits until the cache is not being called. A removal from the cache then includes the stored content.
    func waitForCall() {
        let parker = ThreadParker()
        let waits = state.withLock { state in
            if state.isCalling { state.waiting.append(parker) }
            return state.isCalling
        }
        if waits { _ = parker.park(milliseconds: PendingStore.patience) }
    }
}
