import FirnSync
import Synchronization

/// The one budget of decoded pixels: images in memory caches, decodes under way and frames of animations draw on it.
///
/// Counted are whole buffers, `bytesPerRow × height × frames`. Caches are what gives way: a decode or an animation that
/// needs bytes has them let go of the least recently used images. Images that other code still holds, such as
/// those on the screen, stay, because their eviction would free nothing. Decodes and animations get at most half of the budget each; a decode that
/// would exceed it waits, but one alone may always run, and an animation always has two frames.
///
/// While the machine is short of memory the budget is smaller; see ``share``.
public final class MemoryBudget: Sendable {
    /// The budget of everything in this process that is given no other.
    ///
    /// A fifth of the machine's memory, at most 768 MiB. The module `Firn` has it keep to the control group's limits and
    /// watch how short memory is.
    public static let shared = MemoryBudget(total: min(AvailableMemory.physicalBytes() / 5, 768 << 20))

    private struct State {
        var ledger: BudgetLedger
        var notices: [Int: @Sendable () -> Void] = [:]
        var caches: [Int] = []
        /// Decodes and animations.
        var others: [Int] = []
        var watcher: (any MemoryWatching)?
        var isWatching = false
    }

    private let state: Locked<State>
    private let room: Atomic<Int>
    private let isUsed = Atomic<Bool>(false)

    /// Creates a budget of its own that nothing watches.
    ///
    /// - Parameter total: the most bytes; what is negative counts as 0.
    public convenience init(total: Int) { self.init(total: total, watcher: nil) }

    /// Creates a budget that `watcher` tells when memory is short; started at the first use and stopped at the end.
    package init(total: Int, watcher: (any MemoryWatching)?) {
        let ledger = BudgetLedger(total: total)
        room = Atomic(ledger.decodingRoom)
        state = Locked(State(ledger: ledger, watcher: watcher))
    }

    deinit { state.withLock { $0.isWatching ? $0.watcher : nil }?.stop() }

    /// Most bytes while there is no lack of memory. A change takes effect at once.
    public var total: Int {
        get { state.withLock { $0.ledger.total } }
        set {
            change { $0.total = max(0, newValue) }
            give()
        }
    }

    /// The part of ``total`` that may be used at the moment, from 0.1 to 1: less than 1 while memory is short.
    ///
    /// A smaller share has caches let go of images at once, fewer decodes begin, and, below a half, animations hold no
    /// more than two frames.
    public var share: Double {
        get { state.withLock { $0.ledger.share } }
        set {
            // Order: in this way round `nan` becomes 1.
            change { $0.share = max(0.1, min(1, newValue)) }
            if newValue < 1 { PixelMappings.trim() }
            give()
        }
    }

    /// What the budget is used for.
    package var usage: MemoryUsage {
        state.withLock {
            MemoryUsage(
                limit: $0.ledger.limit, decoding: $0.ledger.decoding, animations: $0.ledger.animations,
                kept: $0.ledger.kept)
        }
    }

    /// Has `watcher` say how short memory is, from the budget's first use on. Only the first watcher counts.
    package func watch(by watcher: any MemoryWatching) {
        state.withLock { state in
            if state.watcher == nil { state.watcher = watcher }
        }
        if isUsed.load(ordering: .relaxed) { begin() }
    }

    // MARK: Accounts

    /// An account of decodes. Told when there may be more for them.
    package func openDecoding() -> MemoryAccount { open(.decoding) }
    /// An account of one animation's frames. Told when it is to hold less.
    package func openAnimation() -> MemoryAccount { open(.animation) }
    /// An account of one cache. Told when it may have to hold less.
    package func openCache() -> MemoryAccount { open(.cache) }

    /// Bytes that all decodes together may hold.
    package var decodingRoom: Int { room.load(ordering: .relaxed) }

    private func open(_ kind: BudgetLedger.Kind) -> MemoryAccount {
        let number = state.withLock { state in
            let number = state.ledger.open(kind)
            if kind == .cache { state.caches.append(number) } else { state.others.append(number) }
            return number
        }
        return MemoryAccount(budget: self, number: number)
    }

    func close(_ account: Int) {
        change { $0.close(account) }
        state.withLock { state in
            state.notices[account] = nil
            state.caches.removeAll { $0 == account }
            state.others.removeAll { $0 == account }
        }
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

    /// Has caches let go of images until all fits, or nothing more can be freed. Called without any lock.
    func makeRoom() {
        let caches = state.withLock { state -> [Int] in
            if state.ledger.excess > 0 { return state.caches }
            // All fits: whatever was stuck is in nobody's way.
            if state.ledger.stuck > 0 {
                state.ledger.noteShrunk()
                room.store(state.ledger.decodingRoom, ordering: .relaxed)
            }
            return []
        }
        if caches.isEmpty { return }
        for cache in caches {
            let notice = state.withLock { $0.ledger.excess > 0 ? $0.notices[cache] : nil }
            notice?()
        }
        change { $0.noteShrunk() }
    }

    /// Has everybody look again at what they may hold.
    private func give() {
        makeRoom()
        let notices = state.withLock { state in state.others.compactMap { state.notices[$0] } }
        for notice in notices { notice() }
    }

    /// Begins to watch, the first time the budget is used. Called without any lock.
    func begin() {
        isUsed.store(true, ordering: .relaxed)
        let watcher = state.withLock { state -> (any MemoryWatching)? in
            guard !state.isWatching, let watcher = state.watcher else { return nil }
            state.isWatching = true
            return watcher
        }
        watcher?.start { [weak self] in self?.share = $0 }
    }

    /// Called before anything is counted; costs a load of an atomic value.
    @inline(__always)
    func noteUse() {
        if !isUsed.load(ordering: .relaxed) { begin() }
    }
}
