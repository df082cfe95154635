public import FirnImage
internal import FirnSync
internal import Synchronization

/// A memory cache of decoded images, limited by bytes.
///
/// The eviction order adapts to the workload, starting with LRU. Where LIRS or GreedyDual-Size does better (loops
/// longer than the cache, favorites among many images seen once, one large image against many small ones), the better
/// policy decides. On all replayed traces this never lost more than one hit in a hundred against LRU;
/// Documentation/Decisions/0011 has the figures.
///
/// A hit costs the lock of its core and one dictionary lookup. Threads on different cores write to no shared memory:
/// each core has its own references to the images that it finds repeatedly (`CoreReferences`), and the policies learn
/// of uses later (`RecordedUses`). A change takes the locks of all cores, so no later lookup finds a removed image.
/// Evicted images are freed outside the locks, on the thread whose call evicted them.
///
/// An image that is also held elsewhere, such as by a view, is not evicted: that would free no memory, and the next
/// request would decode it again.
///
/// Invariant: after every call, the images that only the cache holds are within the limits. Only images held elsewhere
/// can exceed them, and, for a few calls, images queued behind many of those.
public final class ImageCache: ImageCaching {
    struct State {
        /// Decides about eviction. Has the slots of the images, but no images.
        var table: AdaptiveTable
        var limits: ImageCacheLimits
        var evictions = 0
        /// The uses of all cores, during a change. A property so that its memory is reused.
        var uses: [RecordedUses.Use] = []
    }

    /// Maximum number of images held elsewhere that one call skips, which bounds its cost. They move behind the others,
    /// so the next call continues after them.
    static let maximumPassedOver = 32

    /// The limits of the cache. Lower limits evict at once; images that are also held elsewhere stay.
    ///
    /// A shorter age also applies to existing images.
    package var limits: ImageCacheLimits {
        get { state.withLock { $0.limits } }
        set { change(to: newValue) }
    }
    /// The maximum bytes. A lower limit evicts at once; images that are also held elsewhere stay.
    public var costLimit: Int {
        get { limits.bytes }
        set { limits.bytes = max(0, newValue) }
    }
    /// The maximum number of images. A lower limit evicts at once, as for ``costLimit``.
    public var countLimit: Int {
        get { limits.count }
        set { limits.count = max(0, newValue) }
    }
    /// The seconds for which an image is kept; `nil` for no limit. A shorter time also applies to existing images.
    public var ttl: Double? {
        get { limits.age.map { $0 / .seconds(1) } }
        set { limits.age = ImageCache.age(newValue) }
    }
    private let now: @Sendable () -> Duration
    /// True if the limits include an age; lookups then read the clock.
    let hasAge: Atomic<Bool>
    /// The budget that the cache shares; `nil` if there is none.
    package let budget: MemoryBudget?
    let account: MemoryAccount?
    let state: Locked<State>
    /// The images, and what each core has recorded. Order: changed under the lock of `state`.
    let held: CoreLocked<HeldImages>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - costLimit: maximum bytes. Default: ``defaultCostLimit``.
    ///   - countLimit: maximum number of images. Default: no limit, since memory is the scarce resource.
    ///   - ttl: the seconds for which an image is kept; `nil` (the default) for no limit, since the source decides
    ///     about freshness.
    ///   - entryBytes: maximum bytes of one image. Default: a quarter of `costLimit`, since a larger one would evict
    ///     too many others.
    ///   - purgeLevel: the share of both limits that remains after a purge, which starts when either is exceeded.
    ///     Default: 1, so that no image is evicted unnecessarily.
    ///   - backgroundLevel: the share of both limits that remains when the application is no longer visible; see
    ///     ``didEnterBackground()``. Default: 0.1, about the images on the screen when the user returns. 1 keeps
    ///     everything, 0 only images that views hold.
    ///   - budget: the memory budget that the cache shares, in addition to its own limits; `nil` (the default) for
    ///     none.
    ///   - now: a monotonic clock, read when an image is stored, and at lookups if there is a `ttl`. Default: the
    ///     system's.
    public convenience init(
        costLimit: Int = ImageCache.defaultCostLimit, countLimit: Int = .max, ttl: Double? = nil,
        entryBytes: Int? = nil, purgeLevel: Double = 1, backgroundLevel: Double = 0.1, budget: MemoryBudget? = nil,
        now: (@Sendable () -> Duration)? = nil
    ) {
        let limits = ImageCacheLimits(
            bytes: costLimit, count: countLimit, age: ImageCache.age(ttl), entryBytes: entryBytes,
            purgeLevel: purgeLevel, backgroundLevel: backgroundLevel)
        self.init(limits: limits, budget: budget, now: now)
    }

    private static func age(_ seconds: Double?) -> Duration? {
        seconds.map { .seconds($0 > 0 ? min($0, 1e9) : 0) }
    }

    /// A fifth of the machine's memory, or of the control group's limit if that is lower, at most 768 MiB.
    public static let defaultCostLimit = ImageCacheLimits.defaultBytes

    /// Creates an empty cache with these limits.
    package init(limits: ImageCacheLimits, budget: MemoryBudget? = nil, now: (@Sendable () -> Duration)? = nil) {
        self.now = now ?? { .monotonic() }
        hasAge = Atomic(limits.age != nil)
        state = Locked(State(table: AdaptiveTable(capacity: limits.bytes), limits: limits))
        held = CoreLocked(HeldImages(age: limits.age?.nanoseconds))
        self.budget = budget
        account = budget?.openCache()
        account?.listen { [weak self] in self?.shrinkToRoom() }
    }

    // Updates the images' own counts for other caches that hold them.
    deinit { removeAll() }

    /// The image for a key. Reading it records a use; setting it stores an image, and setting `nil` removes it.
    ///
    /// An image above its limit for one image is not stored; an older one with the same key is removed.
    public subscript(key: ImageCacheKey) -> ImageContainer? {
        get {
            if hasAge.load(ordering: .relaxed) { dropExpired() }
            return lookUp(key)
        }
        set {
            guard let newValue else { return remove(key) }
            insert(newValue, for: key)
        }
    }

    /// Returns the other sizes of a key's image. Counts neither hits nor misses, and records no use.
    ///
    /// - Complexity: O(sizes of this image in the cache).
    public func relatives(of key: ImageCacheKey) -> [ImageContainer] {
        if hasAge.load(ordering: .relaxed) { dropExpired() }
        return held.read { images, _ in images.relatives(of: key) }
    }

    /// The size of the cache, and its counts.
    public var statistics: CacheStatistics {
        var (hits, misses) = (0, 0)
        held.readEach { images, core in
            hits &+= images.cores[core].pointee.uses.hits
            misses &+= images.cores[core].pointee.uses.misses
        }
        return state.withLock {
            CacheStatistics(
                count: $0.table.count, bytes: $0.table.cost, hits: hits, misses: misses, evictions: $0.evictions)
        }
    }

    @inline(__always)
    private func lookUp(_ key: ImageCacheKey) -> ImageContainer? {
        held.read { images, index in
            // A separate pointer: to the thread sanitizer, a change through `cores` changes all elements.
            let core = images.cores[index]
            guard let slot = images.place(key) else {
                core.pointee.uses.misses &+= 1
                return nil
            }
            if core.pointee.uses.record(slot, now: MonotonicClock.now) { core.pointee.uses.settle(pass) }
            return images.image(at: slot, for: core)
        }
    }

    /// Passes a core's uses to the policies. Called under the lock of the core.
    ///
    /// - Returns: false if another thread is changing the cache. Waiting for it would deadlock.
    private func pass(_ uses: inout RecordedUses) -> Bool {
        state.withLockIfFree { state in uses.drain { state.table.touch($0.slot) } } != nil
    }

    /// Changes the cache.
    ///
    /// Order: the policies learn of all uses first, because `body` may free slots.
    func change<Result>(_ body: (inout State, inout HeldImages) -> Result) -> Result {
        state.withLock { state in
            held.write { images in
                for core in 0..<images.cores.count {
                    images.cores[core].pointee.uses.drain { state.uses.append($0) }
                }
                state.table.touch(&state.uses)
                defer { if images.age != nil { images.oldest = state.table.oldest?.born ?? .max } }
                return body(&state, &images)
            }
        }
    }

    /// Changes the cache, and frees the images that `body` appends, without a lock.
    func change(_ body: (inout State, inout HeldImages, inout [ImageContainer]) -> Void) {
        var released: [ImageContainer] = []
        change { state, images in body(&state, &images, &released) }
        drop(released)
    }

    private func insert(_ container: ImageContainer, for key: ImageCacheKey) {
        var container = container
        // A reference from another lookup would keep its core's count.
        container.image = container.image.uncounted()
        account?.noteUse()
        let cost = max(0, container.cost)
        // Always read, so that images have an age if a limit is set later.
        let moment = now().nanoseconds
        let room = account?.room ?? .max
        container.image.noteKept()
        let released = change { state, images -> [ImageContainer]? in
            let limits = state.limits
            guard cost <= limits.entryBytes, cost <= limits.bytes, limits.count > 0, cost <= room else { return nil }
            var released = expire(&state, &images, at: moment)
            if let older = images.place(key), state.table.take(older), let image = images.remove(at: older) {
                released.append(image)
            }
            let slot = state.table.insert(bits: key.bits, cost: cost, born: moment)
            images.add(container, key, at: slot)
            if state.table.cost > limits.bytes || state.table.count > limits.count {
                let bytes = limits.purged(limits.bytes)
                let count = limits.purged(limits.count)
                // Order: the newest image stays, even if it alone exceeds the purge level.
                shrink(&state, &images, into: &released, sparing: slot) { $0.cost > bytes || $0.count > count }
            }
            keepWithinRoom(&state, &images, into: &released)
            return released
        }
        guard let released else {
            container.image.noteReleased()
            return remove(key)
        }
        drop(released)
    }

    private func remove(_ key: ImageCacheKey) {
        change { state, images, released in
            guard let old = remove(key, &state, &images) else { return }
            account?.set(to: state.table.cost)
            released = [old]
        }
    }

    func remove(_ key: ImageCacheKey, _ state: inout State, _ images: inout HeldImages) -> ImageContainer? {
        guard let slot = images.place(key) else { return nil }
        state.table.remove(slot)
        return images.remove(at: slot)
    }

    private func dropExpired() {
        let moment = now().nanoseconds
        guard held.read({ images, _ in images.hasExpired(at: moment) }) else { return }
        change { $2 = expire(&$0, &$1, at: moment) }
    }

    /// Removes all expired images.
    private func expire(_ state: inout State, _ images: inout HeldImages, at moment: Int64) -> [ImageContainer] {
        guard let age = state.limits.age?.nanoseconds else { return [] }
        var released: [ImageContainer] = []
        while let oldest = state.table.oldest, oldest.born.isOlder(than: age, at: moment) {
            state.table.remove(oldest.slot)
            if let old = images.remove(at: oldest.slot) { released.append(old) }
            state.evictions += 1
        }
        if !released.isEmpty { account?.set(to: state.table.cost) }
        return released
    }

    /// The default memory cache of all pipelines of this process. Created at first use, with the default limits and
    /// within the machine's budget.
    public static let shared = ImageCache(budget: .machine)
}

extension ImageCaching where Self == ImageCache {
    /// Returns a new memory cache.
    ///
    /// - Parameters:
    ///   - limit: maximum bytes. Default: ``ImageCache/defaultCostLimit``.
    ///   - budget: the memory budget that the cache and the decodes of its pipeline share. Default: the machine's.
    public static func memory(
        limit: Int = ImageCache.defaultCostLimit, budget: MemoryBudget = .machine
    ) -> ImageCache {
        ImageCache(costLimit: limit, budget: budget)
    }
}

extension ImageCacheKey {
    var bits: UInt64 { UInt64(bitPattern: Int64(number)) }

    var familyBits: UInt64? { familyLength > 0 ? UInt64(bitPattern: Int64(familyNumber)) : nil }
}
