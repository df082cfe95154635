import FirnSync

extension DataCache {
    /// Returns the size of the cache over all processes, and the counts of this process. Writes staged entries first,
    /// and reads the directory if its content is unknown.
    ///
    /// - Throws: ``/FirnData/DataCachingError`` if the directory cannot be read. Nothing changes.
    public func statistics() throws(DataCachingError) -> CacheStatistics {
        flush()
        do throws(DataFileError) {
            return try inTurn { (gate, turn) throws(DataFileError) in
                if !gate.isComplete(turn.usage) { try readDirectory(&gate, &turn, at: now().nanoseconds) }
                return ledger.withLock { $0.statistics(turn.usage?.totals ?? DataCacheTotals()) }
            }
        } catch { throw DataCachingError(error) }
    }

    /// Reads the records of all entries from the disk, in any order. Skips entries without an intact header;
    /// ``verify(removing:)`` reports them.
    package func entries() throws(DataCachingError) -> [CacheRecord] {
        flush()
        return try tree.records { path in header(path).map { ($0.key, $0.bodyLength, $0.created) } }
    }

    /// Removes the entries for which `isUnwanted` returns true.
    ///
    /// - Returns: the number of removed entries.
    @discardableResult
    package func removeAll(where isUnwanted: (CacheRecord) -> Bool) throws(DataCachingError) -> Int {
        let unwanted = try entries().filter(isUnwanted)
        for record in unwanted { try remove(record.key) }
        return unwanted.count
    }

    /// Removes the entries whose keys `isUnwanted` accepts. Reads the header of every entry.
    ///
    /// - Throws: ``/FirnData/DataCachingError``. Some entries may then remain.
    public func removeEntries(where isUnwanted: (String) -> Bool) throws(DataCachingError) {
        try removeAll { isUnwanted($0.key) }
    }

    /// Reads and checks every entry.
    ///
    /// - Parameter removing: whether damaged entries and the leftovers of dead writers are removed. Files with foreign
    ///   names, and unreadable files, are only reported.
    /// - Returns: the problems found.
    package func verify(removing: Bool = false) throws(DataCachingError) -> [CacheProblem] {
        flush()
        return try tree.verify(
            removing: removing, at: now().nanoseconds,
            flaw: { (id, file) throws(EntryDamage) in
                let header = try file.withUnsafeBytes { (bytes) throws(EntryDamage) in try EntryFormat.check(bytes) }
                guard identify(header.key) == id else { throw .misplaced }
            }, discard: { discard($0, $1, counting: true) })
    }

    /// Removes all entries, including unreadable ones, and directories that become empty.
    ///
    /// Keeps foreign files and files that other processes are writing.
    /// - Throws: ``/FirnData/DataCachingError`` of the first file that cannot be removed. The others are removed.
    public func removeAll() throws(DataCachingError) {
        dropAllStaged()
        var failure: DataFileError?
        do throws(DataFileError) {
            try inTurn { (gate, turn) throws(DataFileError) in
                let moment = now().nanoseconds
                do throws(DataFileError) { try tree.removeAll(at: moment) } catch { failure = error }
                // Reads the directory to count the remaining files.
                if turn.record != nil { try readDirectory(&gate, &turn, at: moment) }
                gate.isScanned = gate.isScanned && turn.record != nil
                ledger.withLock { if turn.record == nil { $0.index = DiskIndex() } }
                try noteChange(&gate, &turn)
            }
        } catch { failure = failure ?? error }
        if let failure { throw DataCachingError(failure) }
    }

    /// Returns a file's header; `nil` if it is damaged.
    private func header(_ path: String) -> EntryHeader? {
        guard let start = try? fileSystem.read(path, first: 4096),
            let length = try? start.withUnsafeBytes({ try EntryFormat.header.readStart($0).length }),
            let header = length > start.count ? try? fileSystem.read(path, first: length) : start
        else { return nil }
        return try? header.withUnsafeBytes { try EntryFormat.decode($0) }
    }

    // MARK: Companions

    /// The cache of partial bodies, and the stores that free space for this cache.
    struct Companions {
        struct Neighbor {
            weak var store: BitmapStore?
        }

        var partialBodies: DataCache?
        var neighbors: [Neighbor] = []
    }

    /// The cache of incomplete bodies, in the subdirectory `partial`.
    package var partialBodies: DataCache {
        companions.withLock { companions in
            if let made = companions.partialBodies { return made }
            let made = DataCache(
                directory: placement.folder, limits: .partialBodies, isShared: placement.isShared,
                subdirectory: "partial", isOptional: placement.isOptional, fileSystem: fileSystem, now: now,
                reclaim: ownReclaim)
            made.companions.withLock { $0.neighbors = companions.neighbors }
            companions.partialBodies = made
            return made
        }
    }

    /// Evicts a store's images before entries of this cache if the disk is full: images can be decoded again.
    ///
    /// Does nothing for a store on another disk. Does not retain the store.
    package func takesRoom(from store: BitmapStore) {
        let partialBodies = companions.withLock { companions in
            companions.neighbors.removeAll { $0.store == nil || $0.store === store }
            companions.neighbors.append(Companions.Neighbor(store: store))
            return companions.partialBodies
        }
        partialBodies?.takesRoom(from: store)
    }

    /// Frees bytes of less valuable files on the same disk and returns their number; `nil` if there are no such files.
    var reclaim: (@Sendable (Int) -> Int)? {
        let stores = companions.withLock { $0.neighbors.compactMap(\.store) }
        guard !stores.isEmpty else { return ownReclaim }
        return { [ownReclaim, fileSystem, directory = placement.folder] bytes in
            var freed = ownReclaim?(bytes) ?? 0
            for store in stores where freed < bytes {
                guard let own = try? store.fileSystem.status(store.folder),
                    let other = try? fileSystem.status(directory), own.device == other.device
                else { continue }
                freed = freed.saturatingAdd(store.reclaim(bytes - freed))
            }
            return freed
        }
    }
}
