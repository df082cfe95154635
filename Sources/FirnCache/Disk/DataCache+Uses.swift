import FirnData
import FirnSync
import FoundationEssentials

// That an entry is in use is noted on the disk, for other processes and later ones: seldom, and many at a time.
extension DataCache {
    /// Uses that may wait to be noted before the writer is called for them.
    private static let mostUses = 256

    func noteUse(_ id: EntryID, _ status: FileStatus, created: Int64, at moment: Int64) {
        let isDue = isOlder(status.modified, than: limits.useInterval, at: moment)
        let isFirst = ledger.withLock { ledger in
            ledger.hits += 1
            ledger.index.use(
                .init(id: id, size: status.size, used: moment, created: created), isPartial: !ledger.isIndexed)
            guard isDue else { return false }
            ledger.uses[id] = moment
            return ledger.uses.count == 1 || ledger.uses.count == DataCache.mostUses
        }
        if isFirst { callWriter() }
    }

    /// Notes the uses that wait. A directory that may only be read is still a cache to read from.
    func writeUses() {
        let uses = ledger.withLock { ledger in
            let uses = ledger.uses
            ledger.uses = [:]
            return uses
        }
        for (id, moment) in uses.sorted(by: { $0.value < $1.value }) {
            try? fileSystem.touch(path(of: id), modified: moment)
        }
        writeCounts()
    }
}
