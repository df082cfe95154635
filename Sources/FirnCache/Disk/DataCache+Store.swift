public import FirnData
import FirnSync
import FoundationEssentials

extension DataCache {
    /// Tries to write into a directory that somebody else keeps removing.
    private static let mostTries = 3

    /// Keeps an entry, in place of an older one of the same key, and returns once that is done. Least recently used ones
    /// go first to make room.
    ///
    /// - Throws: ``/FirnData/DataCachingError`` naming the path and the system's reason, or if the entry alone is above a limit.
    ///   The older entry, or none, is then there; no part of the new one is left.
    public func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        dropStaged(key)
        try keep(try prepare(entry, for: key)) { true }
    }

    /// An entry as it will lie in its file.
    struct PreparedEntry {
        let file: DiskIndex.File
        let parts: [Data]
    }

    /// Hashes an entry and makes its header. Touches no disk.
    func prepare(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) -> PreparedEntry {
        let moment = now().nanoseconds
        guard
            let header = EntryFormat.encode(
                key: key, fields: entry.headers, metadata: entry.metadata, created: moment, body: entry.data)
        else {
            throw DataCachingError("\(root): key and header fields are above \(EntryFormat.maximumHeader) bytes")
        }
        let size = header.count + entry.data.count
        guard size <= limits.bytes, limits.count > 0 else {
            throw DataCachingError("\(root): an entry of \(size) bytes is above the limits of the whole cache")
        }
        let file = DiskIndex.File(id: identify(key), size: size, used: moment, created: moment)
        return PreparedEntry(file: file, parts: [header, entry.data])
    }

    /// Writes an entry.
    ///
    /// - Parameter isWanted: asked just before the file gets its name; if it says no, nothing is changed.
    func keep(_ entry: PreparedEntry, isWanted: () -> Bool) throws(DataCachingError) {
        let file = entry.file
        do throws(FileError) {
            for attempt in 1... {
                do throws(FileError) {
                    return try write(file, entry.parts, isWanted)
                } catch {
                    guard error.isMissing, attempt < DataCache.mostTries else { throw error }
                    try fileSystem.createDirectory(tree.shard(of: file.id))
                }
            }
        } catch { throw DataCachingError(error) }
    }

    private func write(_ file: DiskIndex.File, _ parts: [Data], _ isWanted: () -> Bool) throws(FileError) {
        let temporary = temporaries.next(in: tree.shard(of: file.id))
        try fileSystem.create(temporary, parts)
        do throws(FileError) {
            if durability == .full { try fileSystem.synchronise(temporary) }
            let isDone = try gate.withLock { (gate: inout Gate) throws(FileError) in
                guard isWanted() else { return false }
                try inTurn(&gate) { (gate, turn) throws(FileError) in try commit(file, temporary, &gate, &turn) }
                return true
            }
            if !isDone { try? fileSystem.remove(temporary) }
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
        // The entry is there; that its name may not outlive the machine is worth telling, and nothing more.
        if durability == .full { try fileSystem.synchronise(tree.shard(of: file.id)) }
    }

    /// Makes room for a file, counts it and names it into place.
    ///
    /// Order: counted before it is named, and taken off only after it is gone. So a process that ends anywhere leaves a
    /// record that says too much, never too little.
    private func commit(
        _ file: DiskIndex.File, _ temporary: String, _ gate: inout Gate, _ turn: inout Turn
    ) throws(FileError) {
        let path = path(of: file.id)
        try readIfDue(&gate, &turn, at: file.used)
        let older = try replacedSize(file.id, path, gate, turn)
        try makeRoom(for: file, replacing: older, &gate, &turn)
        if var usage = turn.usage {
            usage.add(file.size)
            usage.changes &+= 1
            try tell(usage, &turn)
            gate.follow(usage)
        }
        do throws(FileError) {
            try fileSystem.rename(temporary, to: path)
        } catch {
            if var usage = turn.usage {
                usage.remove(file.size)
                try? tell(usage, &turn)
            }
            throw error
        }
        if let older, var usage = turn.usage {
            usage.remove(older)
            // Should it not be written, the record says too much.
            try? tell(usage, &turn)
        }
        gate.driftBytes += file.size
        gate.driftCount += 1
        ledger.withLock {
            $0.stores += 1
            $0.index.insert(file)
            $0.uses[file.id] = nil
        }
    }

    /// Bytes of the file that is about to be replaced; `nil` if there is none.
    private func replacedSize(
        _ id: EntryID, _ path: String, _ gate: Gate, _ turn: Turn
    ) throws(FileError) -> Int? {
        guard turn.usage != nil else { return ledger.withLock { $0.index.size(of: id) } }
        // Nobody else has changed anything since the index was made.
        if gate.isComplete(turn.usage) { return ledger.withLock { $0.index.size(of: id) } }
        do throws(FileError) {
            return try fileSystem.status(path).size
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }
}

extension DataCachingError {
    init(_ error: FileError) { self.init(error.description, code: error.code) }
}
