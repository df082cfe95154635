/// What one user of a ``MemoryBudget`` has of it. Its bytes are given back when it is gone.
package final class MemoryAccount: Sendable {
    private let budget: MemoryBudget
    private let number: Int

    init(budget: MemoryBudget, number: Int) {
        self.budget = budget
        self.number = number
    }

    deinit { budget.close(number) }

    /// Has `notice` called, on any thread and without a lock of the budget's, when the user is to look at what it may hold.
    package func listen(_ notice: @escaping @Sendable () -> Void) { budget.setNotice(number, notice) }

    /// What the whole budget is used for.
    package var usage: MemoryUsage { budget.usage }

    /// Bytes in use.
    package var bytes: Int { budget.change { $0.bytes(of: number) } }

    /// Whether memory is so short that animations are to hold no more than they need.
    package var isShort: Bool { budget.change { $0.share < BudgetLedger.leastShareForAnimations } }

    /// Bytes that all decodes together may hold.
    package var decodingRoom: Int { budget.decodingRoom }

    /// Says that the budget is about to be used. Not to be called with a lock held.
    package func noteUse() { budget.noteUse() }

    /// Takes note of what is in use. May be called with a lock held, and calls nobody.
    package func set(to bytes: Int) { budget.change { $0.set(number, to: bytes) } }

    /// Bytes that a cache may hold. May be called with a lock held.
    package var room: Int { budget.change { $0.room(of: number) } }

    /// Takes note of more or fewer bytes. Where they are more, caches make room first. Not to be called with a lock held.
    package func add(_ bytes: Int) {
        budget.noteUse()
        budget.change { $0.set(number, to: $0.bytes(of: number) + bytes) }
        if bytes > 0 { budget.makeRoom() }
    }

    /// Asks for bytes of an animation, which caches make room for. Not to be called with a lock held.
    ///
    /// - Returns: the bytes that the animation then has: as many of those wanted as there are, `least` at the least.
    package func ask(_ wanted: Int, least: Int) -> Int {
        budget.noteUse()
        let granted = budget.change { $0.ask(wanted, for: number, least: least) }
        budget.makeRoom()
        return granted
    }
}
