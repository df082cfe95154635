import FirnImage

/// The memory of decodes: a share of the budget that caches and animations use, too.
final class DecodeMemory: Sendable {
    private let shell: TableShell
    /// `nil` without a budget.
    private let account: MemoryAccount?
    private let emitter: EventEmitter

    init(_ shell: TableShell, account: MemoryAccount?, emitter: EventEmitter) {
        self.shell = shell
        self.account = account
        self.emitter = emitter
    }

    /// Asks for the memory of a job's decode. After `false` the job is parked until there is memory.
    func reserve(_ bytes: Int, for ticket: JobTicket) -> Bool {
        let isGranted = take(bytes) { $0.reserve(bytes, for: ticket) }
        emitUsage()
        return isGranted
    }

    /// Makes an image that is worth it only while there is memory.
    ///
    /// - Parameter make: asks for bytes at most once, and returns nil if they are not there.
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

    /// Takes the bytes from the budget, then asks the table.
    ///
    /// Order: the budget first, so that caches have made room when the table decides. A decode that has to wait returns
    /// the bytes meanwhile.
    private func take(_ bytes: Int, _ ask: (inout TableShell.Table) -> Bool) -> Bool {
        account?.add(bytes)
        let (isGranted, change) = shell.reserve(ask)
        if change != bytes { account?.add(change - bytes) }
        return isGranted
    }

    /// Applies a new size of the budget. Decodes that wait for memory may get it.
    func budgetChanged() {
        guard let account else { return }
        shell.change { $0.table.setDecodingRoom(account.decodingRoom) }
    }

    /// Sends an event with the bytes in use.
    func emitUsage() {
        guard emitter.isObserved else { return }
        let usage = account?.usage
        emitter.emit(
            .memoryUsed(decoding: shell.reservedBytes, kept: (usage?.kept ?? 0) + (usage?.animations ?? 0)))
    }
}
