/// One account of a ``MemoryBudget``. Deallocation frees its bytes.
package final class MemoryAccount: Sendable {
    private let budget: MemoryBudget
    private let number: Int

    init(budget: MemoryBudget, number: Int) {
        self.budget = budget
        self.number = number
    }

    deinit { budget.close(number) }

    /// Sets a closure that is called, on any thread and without the budget's lock, when the account must check its
    /// limit.
    package func listen(_ notice: @escaping @Sendable () -> Void) { budget.setNotice(number, notice) }

    /// The usage of the whole budget.
    package var usage: MemoryUsage { budget.usage }

    /// The bytes that the account uses.
    package var bytes: Int { budget.change { $0.bytes(of: number) } }

    /// True if memory is so short that animations should hold only the frames that they need.
    package var isShort: Bool { budget.change { $0.share < BudgetLedger.minimumShareForAnimations } }

    /// The bytes that all decodes together may hold.
    package var decodingRoom: Int { budget.decodingRoom }

    /// Announces that the budget is about to be used. Must not be called with a lock held.
    package func noteUse() { budget.noteUse() }

    /// Sets the bytes in use. May be called with a lock held; calls no other code.
    package func set(to bytes: Int) { budget.change { $0.set(number, to: bytes) } }

    /// The bytes that a cache may hold. May be read with a lock held.
    package var room: Int { budget.change { $0.room(of: number) } }

    /// Adds bytes, or subtracts them if negative. If bytes are added, caches evict first. Must not be called with a
    /// lock held.
    package func add(_ bytes: Int) {
        budget.noteUse()
        budget.change { $0.set(number, to: $0.bytes(of: number) + bytes) }
        if bytes > 0 { budget.makeRoom() }
    }

    /// Requests bytes for an animation; caches evict for them. Must not be called with a lock held.
    ///
    /// - Returns: the bytes granted: as many as are available, at least `least`.
    package func ask(_ wanted: Int, least: Int) -> Int {
        budget.noteUse()
        let granted = budget.change { $0.ask(wanted, for: number, least: least) }
        budget.makeRoom()
        return granted
    }
}
