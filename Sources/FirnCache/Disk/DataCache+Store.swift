public import FirnData
import FirnSync
import FoundationEssentials

extension DataCache {
    /// Entries that could not be removed before making room is given up.
    private static let mostStuck = 8
    /// Tries to write into a directory that somebody else keeps removing.
    private static let mostTries = 3

    /// Keeps an entry, in place of an older one of the same key. Least recently used ones go first to make room.
    ///
    /// Nothing is forced to the medium: after a power failure the entry may be torn, and is then a miss.
    /// - Throws: ``DataCachingError`` naming the path and the system's reason, or if the entry alone is above a limit.
    ///   The older entry, or none, is then there; no part of the new one is left.
    public func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
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
        do throws(FileError) {
            for attempt in 1... {
                do throws(FileError) {
                    return try write(file, [header, entry.data])
                } catch {
                    guard error.isMissing, attempt < DataCache.mostTries else { throw error }
                    try fileSystem.createDirectory("\(root)/\(file.id.shard)")
                }
            }
        } catch { throw DataCachingError(error) }
    }

    private func write(_ file: DiskIndex.File, _ parts: [Data]) throws(FileError) {
        let temporary = "\(root)/\(file.id.shard)/\(temporaries.next())"
        try fileSystem.create(temporary, parts)
        do throws(FileError) {
            try gate.withLock { (drift: inout Drift) throws(FileError) in
                try readDirectory(&drift, isDue: drift.bytes > limits.bytes / 4 || drift.count > limits.count / 4)
                try makeRoom(for: file)
                try fileSystem.rename(temporary, to: path(of: file.id))
                drift.bytes += file.size
                drift.count += 1
                ledger.withLock {
                    $0.stores += 1
                    $0.index?.insert(file)
                }
            }
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
    }

    /// Removes entries until `file` may be named into place.
    private func makeRoom(for file: DiskIndex.File) throws(FileError) {
        var stuck = 0
        while let victim = ledger.withLock({
            $0.index?.victim(for: file.size, replacing: file.id, limits: limits, at: file.used)
        }) {
            do throws(FileError) {
                try removeIfThere(path(of: victim))
                ledger.withLock {
                    $0.index?.remove(victim)
                    $0.evictions += 1
                }
            } catch {
                stuck += 1
                guard stuck < DataCache.mostStuck else { throw error }
                ledger.withLock { $0.index?.skip(victim, renewedAt: file.used) }
            }
        }
    }
}

extension DataCachingError {
    init(_ error: FileError) { self.init(error.description, code: error.code) }
}
