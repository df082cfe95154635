import FirnData
import FirnSync
import FoundationEssentials

extension DataCache {
    /// Recreates the index, corrects the record, and removes the leftovers of dead writers. During a turn.
    func readDirectory(_ gate: inout Gate, _ turn: inout Turn, at moment: Int64) throws(DataFileError) {
        let files = try DiskIndex.scan(tree, at: moment, created: created)
        let (bytes, count) = ledger.withLock { ledger in
            ledger.index = DiskIndex(files, known: ledger.index)
            ledger.isIndexed = true
            return (ledger.index.bytes, ledger.index.count)
        }
        gate.isScanned = true
        (gate.driftBytes, gate.driftCount) = (0, 0)
        turn.isFresh = true
        guard turn.record != nil else { return }
        var usage = CacheUsage()
        (usage.bytes, usage.count, usage.scanned) = (bytes, count, moment)
        usage.totals = turn.usage?.totals ?? DataCacheTotals()
        // Order: counted as a change, so that other processes check their sizes: they may know entries that a process
        // removed before it ended without updating the record.
        usage.changes = (turn.usage?.changes ?? UInt64.random(in: 0 ... .max / 2)) &+ 1
        (gate.seen, gate.unseen) = (usage.changes, 0)
        try write(usage, &turn)
    }

    /// Returns when an entry was stored, from its header. Read only if there is an age limit.
    private func created(_ path: String) -> Int64? {
        guard limits.age != nil, let start = try? fileSystem.read(path, first: EntryFormat.fixedLength) else {
            return nil
        }
        return start.withUnsafeBytes { EntryFormat.created($0) }
    }
}
