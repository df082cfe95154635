import Synchronization

/// The memory of decodes: a share of the budget that caches and animations also use.
final class DecodeMemory: Sendable {
    private let shell: TableShell
    /// `nil` without a budget.
    private let account: MemoryAccount?
    /// The values of the latest event; negative before the first.
    private let emittedDecoding = Atomic<Int>(-1)
    private let emittedKept = Atomic<Int>(-1)

    init(_ shell: TableShell, account: MemoryAccount?) {
        self.shell = shell
        self.account = account
    }

    /// Requests the memory for a job's decode. After `false` the job is parked until there is memory.
    func reserve(_ bytes: Int, for ticket: JobTicket) -> Bool {
        let isGranted = take(bytes) { $0.reserve(bytes, for: ticket) }
        emitUsage()
        return isGranted
    }

    /// Makes an optional image with memory that no decode waits for.
    ///
    /// - Parameter make: calls `lend` at most once, and returns nil if it returns false.
    func lending(_ make: (_ lend: (Int) -> Bool) -> ImageContainer?) -> ImageContainer? {
        var lent = 0
        let container = make { bytes in
            guard take(bytes, { $0.lend(bytes) }) else { return false }
            lent += bytes
            return true
        }
        if lent > 0 { shell.change { $0.table.takeBack(lent) } }
        return container
    }

    /// Takes the bytes from the budget, then calls the table.
    ///
    /// Order: the budget first, so that caches have evicted entries when the table decides. If the decode has to
    /// wait, the bytes are returned.
    private func take(_ bytes: Int, _ ask: (inout TableShell.Table) -> Bool) -> Bool {
        account?.add(bytes)
        let (isGranted, change) = shell.reserve(ask)
        if change != bytes { account?.add(change - bytes) }
        return isGranted
    }

    /// Applies a new size of the budget. Parked decodes may get memory.
    func budgetChanged() {
        guard let account else { return }
        shell.change { $0.table.setDecodingRoom(account.decodingRoom) }
    }

    /// Sends an event with the bytes in use, if they have changed.
    func emitUsage() {
        guard shell.emitter.isObserved else { return }
        let decoding = shell.reservedBytes
        let usage = account?.usage
        let kept = (usage?.kept ?? 0) + (usage?.animations ?? 0)
        let isSame = emittedDecoding.exchange(decoding, ordering: .relaxed) == decoding
        guard emittedKept.exchange(kept, ordering: .relaxed) != kept || !isSame else { return }
        shell.emitter.emit(.memoryUsed(decoding: decoding, kept: kept))
    }
}
