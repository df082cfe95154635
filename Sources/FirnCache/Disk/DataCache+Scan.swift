import FirnData
import FirnSync
import FoundationEssentials

extension DataCache {
    /// A file below the cache's directory.
    enum Finding {
        case entry(EntryID, path: String, FileStatus)
        case temporary(path: String, FileStatus)
        case other(path: String)
    }

    /// Makes the index anew, puts the record right, and sweeps what dead writers left. In one's turn.
    func readDirectory(_ gate: inout Gate, _ turn: inout Turn, at moment: Int64) throws(FileError) {
        var files: [DiskIndex.File] = []
        try forEachFile { (finding) throws(FileError) in
            switch finding {
            case .entry(let id, let path, let status):
                files.append(
                    .init(id: id, size: status.size, used: status.modified, created: created(path) ?? status.modified))
            case .temporary(let path, let status):
                if isLeftBehind(status, at: moment) { try? fileSystem.remove(path) }
            case .other: break
            }
        }
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
        try tell(usage, &turn)
    }

    /// Whether a temporary file's writer is long dead.
    func isLeftBehind(_ status: FileStatus, at moment: Int64) -> Bool {
        moment.subtractingReportingOverflow(status.modified).partialValue > TemporaryNames.leftBehind
    }

    /// Calls `body` for every file of the cache. What disappears meanwhile is passed over.
    func forEachFile(_ body: (Finding) throws(FileError) -> Void) throws(FileError) {
        for shard in try listing(root) where isShard(shard) {
            let directory = "\(root)/\(shard)"
            for name in try listing(directory) {
                let path = "\(directory)/\(name)"
                if let id = EntryID(fileName: name), id.shard == shard {
                    if let status = try statusIfThere(path) { try body(.entry(id, path: path, status)) }
                } else if TemporaryNames.matches(name) {
                    if let status = try statusIfThere(path) { try body(.temporary(path: path, status)) }
                } else {
                    try body(.other(path: path))
                }
            }
        }
    }

    /// Whether a name is that of a directory of entries.
    func isShard(_ name: String) -> Bool { name.utf8.count == 1 && UInt8(name, radix: 16) != nil }

    /// Names in a directory; none where there is no such directory.
    func listing(_ path: String) throws(FileError) -> [String] {
        do throws(FileError) {
            return try fileSystem.list(path)
        } catch {
            guard error.isMissing else { throw error }
            return []
        }
    }

    private func statusIfThere(_ path: String) throws(FileError) -> FileStatus? {
        do throws(FileError) {
            return try fileSystem.status(path)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// When an entry was stored, as its header says; read only where an age is limited.
    private func created(_ path: String) -> Int64? {
        guard limits.age != nil, let start = try? fileSystem.read(path, first: EntryFormat.fixedLength) else {
            return nil
        }
        return start.withUnsafeBytes { EntryFormat.created($0) }
    }
}
