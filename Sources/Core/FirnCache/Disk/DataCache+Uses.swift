import FirnData
import FirnSync

// Uses of entries are recorded on disk for other and later processes, rarely and in batches.
extension DataCache {
    /// The number of uses at which the writer is woken to record them.
    private static let maximumUses = 256

    func noteUse(_ id: EntryID, _ status: FileStatus, created: Int64, at moment: Int64) {
        let isDue = status.modified.isOlder(than: limits.useInterval.nanoseconds, at: moment)
        let isFirst = ledger.withLock { ledger in
            ledger.use(id, status, created: created, at: moment)
            guard isDue else { return false }
            ledger.uses[id] = moment
            return ledger.uses.count == 1 || ledger.uses.count == DataCache.maximumUses
        }
        if isFirst { callWriter() }
    }

    /// Records the pending uses. Ignores failures, since a read-only directory remains readable.
    func writeUses() {
        let uses = ledger.withLock { ledger in
            let uses = ledger.uses
            ledger.uses = [:]
            return uses
        }
        guard (try? tree.check()) != nil else { return }
        for (id, moment) in uses.sorted(by: { $0.value < $1.value }) {
            try? fileSystem.touch(tree.path(of: id), modified: moment)
        }
        writeCounts()
    }
}
