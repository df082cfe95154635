import FirnData
public import FirnImage
import FirnSync
import Synchronization

/// A memory cache of decoded images, limited by their bytes.
///
/// The order of eviction adapts to the uses: LRU at first. Where LRU does worse than LIRS or GreedyDual-Size (in loops
/// longer than the cache, with favorites among many images seen once, with a large image in place of many small ones),
/// the better one decides. On all replayed traces this never cost more than one hit in a hundred against LRU;
/// Documentation/Decisions/0011 has the figures.
///
/// A hit takes one lock and one dictionary lookup, and allocates nothing. Evicted images are freed outside the lock, on
/// the thread whose call evicted them.
///
/// An image that is also held elsewhere, such as by a view, is not evicted: that would free nothing, and the next
/// request would decode it again.
///
/// Invariant: after every call the limits hold for the images that only the cache holds. Above them are only images
/// held elsewhere and, for a few calls, images that lie behind many of those.
public final class ImageCache: ImageCaching {
    typealias Table = AdaptiveTable<ImageCacheKey, ImageContainer>

    struct State {
        var table: Table
        var limits: ImageCacheLimits
        var hits = 0
        var misses = 0
        var evictions = 0

        @inline(__always)
        mutating func lookUp(_ key: ImageCacheKey) -> ImageContainer? {
            guard let found = table.use(key) else {
                misses &+= 1
                return nil
            }
            hits &+= 1
            return found
        }
    }

    /// Maximum number of images held elsewhere that a call skips, which bounds its cost. They move behind the others,
    /// so that the next call continues after them.
    static let maximumPassedOver = 32

    /// The limits of the cache. Lower limits evict at once; images that are also held elsewhere stay.
    ///
    /// A shorter age applies to the existing images, too.
    public var limits: ImageCacheLimits {
        get { state.withLock { $0.limits } }
        set { change(to: newValue) }
    }
    private let now: @Sendable () -> Duration
    /// Whether the limits have an age; a lookup then reads the clock.
    let hasAge: Atomic<Bool>
    /// The budget that the cache shares; `nil` for none.
    package let budget: MemoryBudget?
    let account: MemoryAccount?
    let state: Locked<State>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - limits: the limits of the cache.
    ///   - budget: the memory budget that the cache shares, in addition to its own limits; `nil` (the default) for
    ///     none.
    ///   - now: a monotonic clock, read when an image is stored, and at lookups if the limits have an age. Default: the
    ///     system's.
    public init(
        limits: ImageCacheLimits = ImageCacheLimits(), budget: MemoryBudget? = nil,
        now: (@Sendable () -> Duration)? = nil
    ) {
        self.now = now ?? { .monotonic() }
        hasAge = Atomic(limits.age != nil)
        state = Locked(State(table: Table(capacity: limits.bytes), limits: limits))
        self.budget = budget
        account = budget?.openCache()
        account?.listen { [weak self] in self?.shrinkToRoom() }
    }

    // Updates the images' own counts for other caches that hold them.
    deinit { removeAll() }

    /// The image of a key. Reading it records a use; setting it stores an image, setting `nil` removes it.
    ///
    /// An image above ``ImageCacheLimits/entryBytes`` is not stored; an older one of the same key is removed.
    public subscript(key: ImageCacheKey) -> ImageContainer? {
        get {
            guard hasAge.load(ordering: .relaxed) else { return state.withLock { $0.lookUp(key) } }
            return lookUp(key, at: now().nanoseconds)
        }
        set {
            guard let newValue else { return remove(key) }
            insert(newValue, for: key)
        }
    }

    /// Returns the other sizes of a key's image. Counts no hit or miss and records no use.
    ///
    /// - Complexity: O(sizes of this image in the cache).
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

    /// The size of the cache, and its counts.
    public var statistics: CacheStatistics {
        state.withLock {
            CacheStatistics(
                count: $0.table.count, bytes: $0.table.cost, hits: $0.hits, misses: $0.misses, evictions: $0.evictions)
        }
    }

    private func lookUp(_ key: ImageCacheKey, at moment: Int64) -> ImageContainer? {
        let (found, expired) = state.withLock { state in
            let expired = expire(&state, at: moment)
            return (state.lookUp(key), expired)
        }
        drop(expired)
        return found
    }

    private func insert(_ container: ImageContainer, for key: ImageCacheKey) {
        account?.noteUse()
        let cost = max(0, container.cost)
        // Always read, so that images have an age if a limit is set later.
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
                // Order: the newest image stays, even if it alone exceeds the purge level.
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

    /// Removes all expired images.
    func expire(_ state: inout State, at moment: Int64) -> [ImageContainer] {
        guard let age = state.limits.age?.nanoseconds else { return [] }
        var released: [ImageContainer] = []
        while let oldest = state.table.oldest, oldest.born.isOlder(than: age, at: moment) {
            if let old = state.table.remove(oldest.key) { released.append(old.value) }
            state.evictions += 1
        }
        if !released.isEmpty { account?.set(to: state.table.cost) }
        return released
    }
}

extension ImageCache {
    /// The memory cache of all pipelines of this process that were given no other. Created at the first use, with the
    /// default limits and within the machine's budget.
    public static let shared = ImageCache(budget: .machine)
}

extension ImageCaching where Self == ImageCache {
    /// Returns a new memory cache.
    ///
    /// - Parameters:
    ///   - limit: maximum bytes. Default: that of ``ImageCacheLimits``.
    ///   - budget: the memory budget that the cache and the decodes of its pipeline share. Default: the machine's.
    public static func memory(
        limit: Int = ImageCacheLimits.defaultBytes, budget: MemoryBudget = .machine
    ) -> ImageCache {
        ImageCache(limits: ImageCacheLimits(bytes: limit), budget: budget)
    }
}
