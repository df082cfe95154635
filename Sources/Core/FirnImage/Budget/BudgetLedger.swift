import FirnSync

/// The accounts of a ``MemoryBudget`` and their limits: a value without locks or effects.
///
/// Three kinds of accounts share the limit. Running decodes and the frames of animations each get at most half of it.
/// Caches get the rest, and evict for both.
///
/// Invariant: `decoding`, `animations` and `kept` are the sums over the accounts of that kind.
///
/// Invariant: the sum is at most `limit` if decodes keep to ``decodingRoom``, animations to what ``ask(_:for:least:)``
/// grants, and caches to ``room(of:)``. Three exceptions: one decode that runs alone, the least bytes of animations,
/// and displayed images, which a cache cannot free.
struct BudgetLedger {
    /// The purpose of an account.
    enum Kind: Sendable { case decoding, animation, cache }

    private struct Account {
        let kind: Kind
        var bytes = 0
    }

    /// The limit in bytes while memory is not short.
    var total: Int
    /// The usable part of `total` while memory is short, from 0 to 1.
    var share = 1.0
    private var accounts: [Int: Account] = [:]
    private var lastAccount = 0
    private(set) var decoding = 0
    private(set) var animations = 0
    private(set) var kept = 0
    /// The bytes that caches failed to free the last time because the images are displayed.
    private(set) var stuck = 0

    init(total: Int) { self.total = max(0, total) }

    /// The current limit in bytes.
    var limit: Int { share >= 1 ? total : Int(saturating: Double(total) * max(0, share)) }

    /// The bytes used beyond the limit.
    var excess: Int { decoding + animations + kept - limit }

    /// The bytes that all decodes together may hold. A single decode may always run.
    var decodingRoom: Int { max(0, min(limit / 2, limit - animations - stuck)) }

    /// Below this share, animations hold only the frames that they need to continue.
    static let minimumShareForAnimations = 0.5

    // MARK: Accounts

    mutating func open(_ kind: Kind) -> Int {
        lastAccount += 1
        accounts[lastAccount] = Account(kind: kind)
        return lastAccount
    }

    /// Closes an account and frees its bytes.
    mutating func close(_ account: Int) {
        set(account, to: 0)
        accounts[account] = nil
    }

    /// Returns the accounts of caches, or those of decodes and animations, in the order in which they were opened.
    func accounts(ofCaches areCaches: Bool) -> [Int] {
        accounts.filter { ($0.value.kind == .cache) == areCaches }.keys.sorted()
    }

    func bytes(of account: Int) -> Int { accounts[account]?.bytes ?? 0 }

    /// Sets the bytes that an account uses.
    mutating func set(_ account: Int, to bytes: Int) {
        guard let old = accounts[account] else { return }
        let bytes = max(0, bytes)
        accounts[account]?.bytes = bytes
        switch old.kind {
        case .decoding: decoding += bytes - old.bytes
        case .animation: animations += bytes - old.bytes
        case .cache:
            kept += bytes - old.bytes
            stuck = min(stuck, kept)
        }
    }

    // MARK: Available bytes

    /// Returns the bytes that a cache may hold.
    func room(of cache: Int) -> Int { max(0, limit - decoding - animations - (kept - bytes(of: cache))) }

    /// Grants an animation the wanted bytes as far as available, and never less than `least`. Bytes of caches count as
    /// available unless they are stuck.
    ///
    /// - Returns: the bytes granted; fewer than before if the budget has shrunk.
    mutating func ask(_ wanted: Int, for animation: Int, least: Int) -> Int {
        let others = animations - bytes(of: animation)
        var most = max(0, min(limit / 2 - others, limit - decoding - others - stuck))
        if share < BudgetLedger.minimumShareForAnimations { most = 0 }
        let granted = max(least, min(wanted, most))
        set(animation, to: granted)
        return granted
    }

    /// Records that caches have evicted: the bytes that they still hold beyond their room cannot be freed.
    mutating func recordEviction() { stuck = excess > 0 ? kept : 0 }
}
