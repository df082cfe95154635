/// Who uses how many bytes of a ``MemoryBudget``, and how many there are for whom: a value, without lock or effect.
///
/// Three kinds of users share the limit. Decodes under way and the frames of animations each get at most half of it; what
/// they leave is the caches', which give way to both.
///
/// Invariant: `decoding`, `animations` and `kept` are the sums over the accounts of that kind.
/// Invariant: if users keep to what they are told (decodes to ``decodingRoom`` but for one alone, animations to what
/// ``ask(_:for:least:)`` grants, caches to ``room(of:)``), the sum of all is at most `limit`, but for one decode alone, what
/// animations have at the least, and images that a cache cannot free since they are shown.
struct BudgetLedger {
    /// What an account's bytes are for.
    enum Kind: Sendable { case decoding, animation, cache }

    private struct Account {
        let kind: Kind
        var bytes = 0
    }

    /// Most bytes when there is no lack of memory.
    var total: Int
    /// What is left of the total while memory is short, from 0 to 1.
    var share = 1.0
    private var accounts: [Int: Account] = [:]
    private var lastAccount = 0
    private(set) var decoding = 0
    private(set) var animations = 0
    private(set) var kept = 0
    /// What caches could not free when they were last asked for more than they could give: images that are shown.
    private(set) var stuck = 0

    init(total: Int) { self.total = max(0, total) }

    /// Most bytes at the moment.
    var limit: Int { share >= 1 ? total : Int(Double(total) * max(0, share)) }

    /// Bytes used above the limit.
    var excess: Int { decoding + animations + kept - limit }

    /// Bytes that all decodes together may hold. One alone may always run.
    var decodingRoom: Int { max(0, min(limit / 2, limit - animations - stuck)) }

    /// Below this share animations hold no more frames than they need to go on.
    static let leastShareForAnimations = 0.5

    // MARK: Accounts

    mutating func open(_ kind: Kind) -> Int {
        lastAccount += 1
        accounts[lastAccount] = Account(kind: kind)
        return lastAccount
    }

    /// Ends an account; its bytes are free again.
    mutating func close(_ account: Int) {
        set(account, to: 0)
        accounts[account] = nil
    }

    func bytes(of account: Int) -> Int { accounts[account]?.bytes ?? 0 }

    /// Takes note of what an account uses.
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

    // MARK: What there is

    /// Bytes that a cache may hold.
    func room(of cache: Int) -> Int { max(0, limit - decoding - animations - (kept - bytes(of: cache))) }

    /// Gives an animation as many of the bytes it would like as there are, counted as if the caches were empty but for
    /// what they cannot free, and never less than `least`.
    ///
    /// - Returns: the bytes it has then; fewer than before where there are too many.
    mutating func ask(_ wanted: Int, for animation: Int, least: Int) -> Int {
        let others = animations - bytes(of: animation)
        var most = max(0, min(limit / 2 - others, limit - decoding - others - stuck))
        if share < BudgetLedger.leastShareForAnimations { most = 0 }
        let granted = max(least, min(wanted, most))
        set(animation, to: granted)
        return granted
    }

    /// The caches were asked to keep within their room; what they still have above it they cannot free.
    mutating func noteShrunk() { stuck = excess > 0 ? kept : 0 }
}
