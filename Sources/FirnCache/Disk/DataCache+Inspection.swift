public import FirnData
import FirnSync
import FoundationEssentials

extension DataCache {
    /// What the cache holds, by all processes, and what this one did. Writes what is staged, and reads the directory if this
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
    public func entries() throws(DataCachingError) -> [DataCacheRecord] {
        flush()
        var records: [DataCacheRecord] = []
        do throws(FileError) {
            try forEachFile { (finding) throws(FileError) in
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
    public func removeAll(where isUnwanted: (DataCacheRecord) -> Bool) throws(DataCachingError) -> Int {
        let unwanted = try entries().filter(isUnwanted)
        for record in unwanted { try remove(record.key) }
        return unwanted.count
    }

    /// Reads and proves every entry.
    ///
    /// - Parameter removing: whether damaged entries and what dead writers left are removed. Files that are not the
    ///   cache's, by their names, and those that cannot be read are only told.
    /// - Returns: what is wrong; nothing where all is well.
    public func verify(removing: Bool = false) throws(DataCachingError) -> [DataCacheProblem] {
        flush()
        var problems: [DataCacheProblem] = []
        let moment = now().nanoseconds
        do throws(FileError) {
            try forEachFile { (finding) throws(FileError) in
                switch finding {
                case .entry(let id, let path, let status):
                    guard let (reason, isDamage) = flaw(id, path) else { return }
                    if removing, isDamage { discard(id, status, counting: true) }
                    problems.append(problem(path, reason, removing && isDamage))
                case .temporary(let path, let status):
                    guard isLeftBehind(status, at: moment) else { return }
                    if removing { try? fileSystem.remove(path) }
                    problems.append(problem(path, "left by a writer that died", removing))
                case .other(let path):
                    problems.append(problem(path, "not a file of the cache", false))
                }
            }
        } catch { throw DataCachingError(error) }
        return problems
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
                    try forEachFile { (finding) throws(FileError) in
                        do throws(FileError) {
                            switch finding {
                            case .entry(_, let path, _): try removeIfThere(path)
                            case .temporary(let path, let status):
                                if isLeftBehind(status, at: moment) { try removeIfThere(path) }
                            case .other: break
                            }
                        } catch { failure = failure ?? error }
                    }
                    for name in try listing(root) where isShard(name) {
                        try? fileSystem.removeDirectory("\(root)/\(name)")
                    }
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

    private func removeIfThere(_ path: String) throws(FileError) {
        do throws(FileError) {
            try fileSystem.remove(path)
        } catch {
            guard error.isMissing else { throw error }
        }
    }

    private func problem(_ path: String, _ reason: String, _ wasTold: Bool) -> DataCacheProblem {
        DataCacheProblem(path: path, reason: reason, isRemoved: wasTold && (try? fileSystem.status(path)) == nil)
    }

    /// What is wrong with an entry's file, and whether that is damage; `nil` if nothing is, or it is gone.
    private func flaw(_ id: EntryID, _ path: String) -> (reason: String, isDamage: Bool)? {
        do throws(FileError) {
            let file = try fileSystem.map(path)
            do throws(EntryDamage) {
                let header = try file.withUnsafeBytes { (bytes) throws(EntryDamage) in try EntryFormat.check(bytes) }
                return identify(header.key) == id ? nil : (EntryDamage.misplaced.description, true)
            } catch {
                return (error.description, true)
            }
        } catch {
            return error.isMissing ? nil : ("cannot \(error.call): \(error.reason)", false)
        }
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
