public import FirnData
import FirnSync
import FoundationEssentials
import FirnSystem

extension DataCache {
    /// Tries to write into a directory that somebody else keeps removing.
    private static let mostTries = 4

    /// Stores an entry, in place of an older one of the same key, and returns once it is written. Least recently used ones
    /// go first to make room.
    ///
    /// - Throws: ``/FirnData/DataCachingError`` naming the path and the system's reason, or if the entry alone is above a limit.
    ///   The older entry, or none, is then there; no part of the new one is left.
    public func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        dropStaged(key)
        let entries = [try prepare(entry, for: key)]
        if let failure = keep(entries, isWanted: { _ in true })[0] { throw DataCachingError(failure) }
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

    /// Writes entries: each into its temporary file, and all into their places in one turn.
    ///
    /// - Parameter isWanted: asked just before the entry of a place gets its name; if it says no, nothing is changed.
    /// - Returns: what failed, entry by entry.
    func keep(_ entries: [PreparedEntry], isWanted: (Int) -> Bool) -> [FileError?] {
        var failures = [FileError?](repeating: nil, count: entries.count)
        var left = Array(entries.indices)
        var asksOthers = reclaim != nil
        for attempt in 1... {
            let drafts = draft(entries, left, &failures)
            commit(drafts, asksOthers: asksOthers, &failures, isWanted: isWanted)
            guard attempt < DataCache.mostTries, left.contains(where: { failures[$0] != nil }) else { break }
            // Once: who has nothing to give is not asked again for the same entries.
            if left.contains(where: { failures[$0]?.call == DataCache.shortOfSpace }) { asksOthers = false }
            left = left.filter { place in
                guard let failure = failures[place] else { return false }
                return isCured(failure, of: entries[place].file, &failures[place])
            }
            if left.isEmpty { break }
        }
        return failures
    }

    /// Does something about a failure.
    ///
    /// - Returns: whether it is worth another try.
    private func isCured(_ failure: FileError, of file: DiskIndex.File, _ outcome: inout FileError?) -> Bool {
        switch failure.code {
        case ENOENT, ENOTDIR:
            do throws(FileError) {
                try fileSystem.createDirectory(tree.shard(of: file.id))
                return true
            } catch {
                outcome = error
                return false
            }
        case ENOSPC, EDQUOT:
            guard let reclaim else { return false }
            let isOwnLimit = failure.call == DataCache.shortOfSpace
            let bytes = isOwnLimit ? max(file.size, gate.withLock { $0.shortage }) : file.size
            let freed = reclaim(bytes)
            gate.withLock { $0.space = Space() }
            return freed > 0 || isOwnLimit
        default: return false
        }
    }
}

extension DataCachingError {
    init(_ error: FileError) { self.init(error.description, code: error.code) }
}
