public import FirnData
import FirnSync
import FoundationEssentials

extension DataCache {
    /// Returns the size of the cache, as all processes filled it, and the counts of this one. Writes what is staged, and reads the directory if this
    /// process does not know it.
    public func statistics() throws(DataCachingError) -> DataCacheStatistics {
        flush()
        do throws(FileError) {
            return try gate.withLock { (gate: inout Gate) throws(FileError) in
                let totals = try inTurn(&gate) { (gate, turn) throws(FileError) in
                    if !gate.isComplete(turn.usage) { try readDirectory(&gate, &turn, at: now().nanoseconds) }
                    return turn.usage?.totals ?? DataCacheTotals()
                }
                return ledger.withLock {
                    DataCacheStatistics(
                        count: $0.index.count, bytes: $0.index.bytes, hits: $0.hits, misses: $0.misses,
                        stores: $0.stores, evictions: $0.evictions, damaged: $0.damaged, totals: totals)
                }
            }
        } catch { throw DataCachingError(error) }
    }

    /// Every entry, in no order, read from the disk. Those without a whole header are left out; ``verify(removing:)`` tells them.
    package func entries() throws(DataCachingError) -> [DataCacheRecord] {
        flush()
        var records: [DataCacheRecord] = []
        do throws(FileError) {
            try tree.forEachFile { (finding) throws(FileError) in
                guard case .entry(_, let path, let status) = finding, let header = header(path) else { return }
                records.append(
                    DataCacheRecord(
                        key: header.key, path: path, headers: header.fields, bodyBytes: header.bodyLength,
                        fileBytes: status.size, created: .nanoseconds(header.created),
                        used: .nanoseconds(status.modified)))
            }
        } catch { throw DataCachingError(error) }
        return records
    }

    /// Removes the entries that `isUnwanted` says.
    ///
    /// - Returns: how many those were.
    @discardableResult
    package func removeAll(where isUnwanted: (DataCacheRecord) -> Bool) throws(DataCachingError) -> Int {
        let unwanted = try entries().filter(isUnwanted)
        for record in unwanted { try remove(record.key) }
        return unwanted.count
    }

    /// Reads and proves every entry.
    ///
    /// - Parameter removing: whether damaged entries and what dead writers left are removed. Files that are not the
    ///   cache's, by their names, and those that cannot be read are only told.
    /// - Returns: what is wrong; nothing where all is well.
    package func verify(removing: Bool = false) throws(DataCachingError) -> [CacheProblem] {
        flush()
        do throws(FileError) {
            return try tree.verify(
                removing: removing, at: now().nanoseconds,
                flaw: { (id, file) throws(EntryDamage) in
                    let header = try file.withUnsafeBytes { (bytes) throws(EntryDamage) in
                        try EntryFormat.check(bytes)
                    }
                    guard identify(header.key) == id else { throw .misplaced }
                }, discard: { discard($0, $1, counting: true) })
        } catch { throw DataCachingError(error) }
    }

    /// Removes every entry, also those that cannot be read, and the directories that are then empty.
    ///
    /// Files that are being written by others stay, and so do files that are not the cache's.
    /// - Throws: ``/FirnData/DataCachingError`` of the first file that cannot be removed; the others are removed all the same.
    public func removeAll() throws(DataCachingError) {
        dropAllStaged()
        var failure: FileError?
        do throws(FileError) {
            try gate.withLock { (gate: inout Gate) throws(FileError) in
                try inTurn(&gate) { (gate, turn) throws(FileError) in
                    let moment = now().nanoseconds
                    do throws(FileError) { try tree.removeAll(at: moment) } catch { failure = error }
                    // What is left, and why, is found out by a look.
                    if turn.record != nil { try readDirectory(&gate, &turn, at: moment) }
                    gate.isScanned = gate.isScanned && turn.record != nil
                    ledger.withLock { if turn.record == nil { $0.index = DiskIndex() } }
                    try noteChange(&gate, &turn)
                }
            }
        } catch { failure = failure ?? error }
        if let failure { throw DataCachingError(failure) }
    }

    /// A file's header; `nil` if it has no whole one.
    private func header(_ path: String) -> EntryHeader? {
        guard var start = try? fileSystem.read(path, first: 4096) else { return nil }
        guard let length = try? start.withUnsafeBytes({ try EntryFormat.headerLength($0) }) else { return nil }
        if length > start.count {
            guard let longer = try? fileSystem.read(path, first: length) else { return nil }
            start = longer
        }
        return try? start.withUnsafeBytes { try EntryFormat.decode($0) }
    }
}
