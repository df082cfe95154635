import FirnSync
import Synchronization

/// The memory budget that memory caches, running decodes and animation frames share.
///
/// It counts whole buffers, `bytesPerRow × height × frames`. If a decode or an animation needs bytes, caches evict
/// their least recently used images. Images that other code still holds, such as displayed images, stay, because
/// evicting them would free nothing. Decodes and animations each get at most half of the budget. A decode that would
/// exceed the budget waits, but a single decode may always run, and an animation always has two frames.
///
/// While the machine is short of memory, the budget is smaller; see ``share``.
public final class MemoryBudget: Sendable {
    /// The default budget of the process.
    ///
    /// A fifth of the machine's memory, at most 768 MiB. The module `Firn` applies control group limits to it and
    /// observes memory pressure.
    public static let shared = MemoryBudget(total: min(AvailableMemory.physicalBytes() / 5, 768 << 20))

    private struct State {
        var ledger: BudgetLedger
        var notices: [Int: @Sendable () -> Void] = [:]
        var watcher: (any MemoryWatching)?
        var isWatching = false
    }

    private let state: Locked<State>
    private let room: Atomic<Int>
    private let isUsed = Atomic<Bool>(false)

    /// Creates a separate budget without memory observation.
    ///
    /// - Parameter total: the limit in bytes; negative values count as 0.
    public convenience init(total: Int) { self.init(total: total, watcher: nil) }

    /// Creates a budget that `watcher` notifies of memory pressure. The watcher is started on first use and stopped on
    /// deallocation.
    package init(total: Int, watcher: (any MemoryWatching)?) {
        let ledger = BudgetLedger(total: total)
        room = Atomic(ledger.decodingRoom)
        state = Locked(State(ledger: ledger, watcher: watcher))
    }

    deinit { state.withLock { $0.isWatching ? $0.watcher : nil }?.stop() }

    /// The limit in bytes while memory is not short. A change takes effect at once.
    public var total: Int {
        get { state.withLock { $0.ledger.total } }
        set {
            change { $0.total = max(0, newValue) }
            notifyAccounts()
        }
    }

    /// The usable part of ``total``, from 0.1 to 1: less than 1 while memory is short.
    ///
    /// When it decreases, caches evict at once and fewer decodes start. Below one half, animations hold at most two
    /// frames.
    public var share: Double {
        get { state.withLock { $0.ledger.share } }
        set {
            // Order: with these arguments in this order, NaN becomes 1.
            change { $0.share = max(0.1, min(1, newValue)) }
            if newValue < 1 { PixelMappings.trim() }
            notifyAccounts()
        }
    }

    /// The estimated bytes that running decodes hold.
    public var decodingBytes: Int { usage.decoding }

    /// The bytes that frames of animations hold.
    public var animationBytes: Int { usage.animations }

    /// The bytes that only caches hold.
    public var cachedBytes: Int { usage.kept }

    /// The bytes in use, by kind.
    package var usage: MemoryUsage {
        state.withLock {
            MemoryUsage(
                limit: $0.ledger.limit, decoding: $0.ledger.decoding, animations: $0.ledger.animations,
                kept: $0.ledger.kept)
        }
    }

    /// Sets the watcher that reports memory pressure from the first use on. Only the first call has an effect.
    package func watch(by watcher: any MemoryWatching) {
        state.withLock { state in
            if state.watcher == nil { state.watcher = watcher }
        }
        if isUsed.load(ordering: .relaxed) { begin() }
    }

    // MARK: Accounts

    /// Opens an account for decodes. Its listener is called when more bytes may be available.
    package func openDecoding() -> MemoryAccount { open(.decoding) }
    /// Opens an account for the frames of one animation. Its listener is called when the animation must hold less.
    package func openAnimation() -> MemoryAccount { open(.animation) }
    /// Opens an account for one cache. Its listener is called when the cache may have to hold less.
    package func openCache() -> MemoryAccount { open(.cache) }

    /// The bytes that all decodes together may hold.
    package var decodingRoom: Int { room.load(ordering: .relaxed) }

    private func open(_ kind: BudgetLedger.Kind) -> MemoryAccount {
        MemoryAccount(budget: self, number: state.withLock { $0.ledger.open(kind) })
    }

    func close(_ account: Int) {
        change { $0.close(account) }
        state.withLock { $0.notices[account] = nil }
    }

    func setNotice(_ account: Int, _ notice: @escaping @Sendable () -> Void) {
        state.withLock { $0.notices[account] = notice }
    }

    /// Reads or changes the ledger.
    @discardableResult
    func change<Result>(_ body: (inout BudgetLedger) -> Result) -> Result {
        state.withLock { state in
            defer { room.store(state.ledger.decodingRoom, ordering: .relaxed) }
            return body(&state.ledger)
        }
    }

    // MARK: Effects

    /// Makes caches evict until the limit holds or nothing more can be freed. Called without a lock.
    func makeRoom() {
        let caches = state.withLock { state -> [Int] in
            if state.ledger.excess > 0 { return state.ledger.accounts(ofCaches: true) }
            // Everything fits, so stuck images no longer limit decodes.
            if state.ledger.stuck > 0 {
                state.ledger.recordEviction()
                room.store(state.ledger.decodingRoom, ordering: .relaxed)
            }
            return []
        }
        if caches.isEmpty { return }
        for cache in caches {
            let notice = state.withLock { $0.ledger.excess > 0 ? $0.notices[cache] : nil }
            notice?()
        }
        change { $0.recordEviction() }
    }

    /// Calls all listeners, so that they check their limits.
    private func notifyAccounts() {
        makeRoom()
        let notices = state.withLock { state in
            state.ledger.accounts(ofCaches: false).compactMap { state.notices[$0] }
        }
        for notice in notices { notice() }
    }

    /// Starts the watcher on the first use of the budget. Called without a lock.
    func begin() {
        isUsed.store(true, ordering: .relaxed)
        let watcher = state.withLock { state -> (any MemoryWatching)? in
            guard !state.isWatching, let watcher = state.watcher else { return nil }
            state.isWatching = true
            return watcher
        }
        watcher?.start { [weak self] in self?.share = $0 }
    }

    /// Called before bytes are counted; costs one atomic load.
    @inline(__always)
    func noteUse() {
        if !isUsed.load(ordering: .relaxed) { begin() }
    }
}

/// Observes memory pressure for a ``MemoryBudget``.
package protocol MemoryWatching: AnyObject, Sendable {
    /// Starts observing. Called once, on the budget's first use, on any thread; must not block.
    ///
    /// - Parameter notify: called on every change with the usable share of the budget's total, from 0.1 to 1. Must not
    ///   be called on the drawing thread.
    func start(_ notify: @escaping @Sendable (Double) -> Void)

    /// Stops observing if started. Called when the budget is deallocated; must not block.
    func stop()
}

/// The usage of a ``MemoryBudget``, in bytes.
package struct MemoryUsage: Hashable, Sendable {
    /// The current limit.
    package var limit: Int
    /// Running decodes, by estimate.
    package var decoding: Int
    /// Frames of animations.
    package var animations: Int
    /// Images in memory caches.
    package var kept: Int

    /// The sum of all kinds.
    package var total: Int { decoding + animations + kept }
}
