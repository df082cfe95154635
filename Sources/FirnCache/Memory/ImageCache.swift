public import FirnImage
import FirnData
import FirnSync
import Synchronization

/// A memory cache of decoded images, limited by their bytes.
///
/// Which image goes first is decided by the uses so far: at first the least recently used one; where that does worse than
/// another order (in loops longer than the cache, where favorites stand beside much that is seen once, where a large image
/// takes the room of many small ones), by that order. The order never costs more than one hit of a hundred against "least recently used",
/// on all that was replayed; Documentation/Decisions/0011 has the figures.
///
/// A hit takes one lock and one dictionary lookup, and allocates nothing. Images that are let go of are freed
/// outside the lock, on the thread whose call pushed them out.
///
/// An image that other code holds, such as a view that shows it, is not evicted: its eviction would free nothing, and the
/// next request would decode it again.
///
/// Invariant: after every call the limits hold for what the cache alone has: above them are only images that others hold,
/// and, for a few calls, some that lie behind many such.
public final class ImageCache: ImageCaching {
    typealias Table = AdaptiveTable<ImageCacheKey, ImageContainer>

    struct State {
        var table: Table
        var limits: ImageCacheLimits
        var hits = 0
        var misses = 0
        var evictions = 0
    }

    /// Images of others that a call passes over at most until it gives up, so that its cost is bounded. Those come
    /// behind the others, so that the next call goes on behind them.
    static let mostPassedOver = 32

    /// What the cache may hold. Lower limits evict at once; images that others hold stay.
    ///
    /// A shorter age holds for the images that are there, too.
    public var limits: ImageCacheLimits {
        get { state.withLock { $0.limits } }
        set { change(to: newValue) }
    }
    private let now: @Sendable () -> Duration
    /// Whether the limits have an age: then a lookup asks the clock.
    let hasAge: Atomic<Bool>
    let account: MemoryAccount?
    let state: Locked<State>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - budget: what the cache shares its memory with, beside its own limits; `nil`, the default, for nothing.
    ///   - now: a clock that never runs backwards, asked when an image is put in, and at lookups if the limits have an age.
    ///     By default the system's monotonic one.
    public init(
        limits: ImageCacheLimits = ImageCacheLimits(), budget: MemoryBudget? = nil,
        now: (@Sendable () -> Duration)? = nil
    ) {
        self.now = now ?? { .monotonic() }
        hasAge = Atomic(limits.age != nil)
        state = Locked(State(table: Table(capacity: limits.bytes), limits: limits))
        account = budget?.openCache()
        account?.listen { [weak self] in self?.shrinkToRoom() }
    }

    // So that the images' own counts are right for caches that still have them.
    deinit { removeAll() }

    /// The image of a key, which has thereby been used; setting keeps an image, setting `nil` removes it.
    ///
    /// An image above ``ImageCacheLimits/entryBytes`` is not kept; an older one of the same key is removed all the same.
    public subscript(key: ImageCacheKey) -> ImageContainer? {
        get { hasAge.load(ordering: .relaxed) ? lookUp(key, at: now().nanoseconds) : lookUp(key) }
        set {
            guard let newValue else { return remove(key) }
            insert(newValue, for: key)
        }
    }

    /// What the cache has of a key's family but for the key itself. No hit and no miss, and the order of use stays.
    ///
    /// - Complexity: O(sizes of this image that the cache has).
    public func relatives(of key: ImageCacheKey) -> [ImageContainer] {
        guard hasAge.load(ordering: .relaxed) else { return state.withLock { $0.table.relatives(of: key) } }
        let moment = now().nanoseconds
        let (found, expired) = state.withLock { state in
            let expired = expire(&state, at: moment)
            return (state.table.relatives(of: key), expired)
        }
        drop(expired)
        return found
    }

    /// Counts and size of the cache.
    public var statistics: ImageCacheStatistics {
        state.withLock {
            ImageCacheStatistics(
                hits: $0.hits, misses: $0.misses, evictions: $0.evictions, cost: $0.table.cost, count: $0.table.count)
        }
    }

    private func lookUp(_ key: ImageCacheKey) -> ImageContainer? {
        state.withLock { state in
            guard let found = state.table.use(key) else {
                state.misses &+= 1
                return nil
            }
            state.hits &+= 1
            return found
        }
    }

    private func lookUp(_ key: ImageCacheKey, at moment: Int64) -> ImageContainer? {
        let (found, expired) = state.withLock { state -> (ImageContainer?, [ImageContainer]) in
            let expired = expire(&state, at: moment)
            guard let found = state.table.use(key) else {
                state.misses &+= 1
                return (nil, expired)
            }
            state.hits &+= 1
            return (found, expired)
        }
        drop(expired)
        return found
    }

    private func insert(_ container: ImageContainer, for key: ImageCacheKey) {
        account?.noteUse()
        let cost = max(0, container.cost)
        // Always asked, so that an image has its age where limits with one are set later.
        let moment = now().nanoseconds
        let room = account?.room ?? .max
        container.image.noteKept()
        let released = state.withLock { state -> [ImageContainer]? in
            let limits = state.limits
            guard cost <= limits.entryBytes, cost <= limits.bytes, limits.count > 0, cost <= room else { return nil }
            var released = expire(&state, at: moment)
            let (older, slot) = state.table.insert(
                Table.Entry(key: key, value: container, cost: cost, born: moment))
            if let older { released.append(older.value) }
            if state.table.cost > limits.bytes || state.table.count > limits.count {
                let bytes = limits.purged(limits.bytes)
                let count = limits.purged(limits.count)
                // Order: the newest stays, even where it alone is above the level that is purged to.
                shrink(&state, into: &released, sparing: slot) { $0.cost > bytes || $0.count > count }
            }
            keepWithinRoom(&state, into: &released)
            return released
        }
        guard let released else {
            container.image.noteReleased()
            return remove(key)
        }
        drop(released)
    }

    private func remove(_ key: ImageCacheKey) {
        let old = state.withLock { state in
            let old = state.table.remove(key)
            if old != nil { account?.set(to: state.table.cost) }
            return old
        }
        if let old { drop([old.value]) }
    }

    /// Lets go of everything that is too old.
    func expire(_ state: inout State, at moment: Int64) -> [ImageContainer] {
        guard let age = state.limits.age?.nanoseconds else { return [] }
        var released: [ImageContainer] = []
        while let oldest = state.table.oldest, moment.subtractingReportingOverflow(oldest.born).partialValue > age {
            if let old = state.table.remove(oldest.key) { released.append(old.value) }
            state.evictions += 1
        }
        if !released.isEmpty { account?.set(to: state.table.cost) }
        return released
    }
}
