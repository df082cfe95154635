import FirnData
import FirnSync
import FoundationEssentials

extension DataCache {
    /// Makes the index anew, puts the record right, and sweeps what dead writers left. In one's turn.
    func readDirectory(_ gate: inout Gate, _ turn: inout Turn, at moment: Int64) throws(FileError) {
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
        // Order: a change, so that others ask again for sizes: they may know entries that a process took away which then
        // ended before it told, and what the record says is now without those.
        usage.changes = (turn.usage?.changes ?? UInt64.random(in: 0 ... .max / 2)) &+ 1
        (gate.seen, gate.unseen) = (usage.changes, 0)
        try write(usage, &turn)
    }

    /// When an entry was stored, as its header says; read only where an age is limited.
    private func created(_ path: String) -> Int64? {
        guard limits.age != nil, let start = try? fileSystem.read(path, first: EntryFormat.fixedLength) else {
            return nil
        }
        return start.withUnsafeBytes { EntryFormat.created($0) }
    }
}
