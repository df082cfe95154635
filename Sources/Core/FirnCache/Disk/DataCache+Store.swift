public import FirnData
package import FirnImage
import FirnSync
import FoundationEssentials
import FirnSystem

extension DataCache {
    /// Maximum number of attempts to write to a directory that another process keeps removing.
    private static let maximumTries = 4

    /// Stores an entry and replaces an older one with the same key. Returns once it is written. Evicts least recently
    /// used entries to make room.
    ///
    /// - Throws: ``/FirnData/DataCachingError`` with the path and the system's reason, or if the entry alone exceeds a
    ///   limit. The older entry, or none, then remains, and no part of the new one.
    public func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        dropStaged(key)
        let entries = [try prepare(entry, for: key)]
        if let failure = keep(entries, isWanted: { _ in true })[0] { throw DataCachingError(failure) }
    }

    /// An entry in the form its file will have.
    struct PreparedEntry {
        let file: DiskIndex.File
        let parts: [Data]
        /// The file that has a part of the body already; `nil` for none.
        var arriving: ArrivingBody?
    }

    /// Hashes an entry and creates its header. Does not access the disk.
    func prepare(
        _ entry: DataCacheEntry, for key: String, with arriving: ArrivingBody? = nil
    ) throws(DataCachingError) -> PreparedEntry {
        let moment = now().nanoseconds
        guard
            let header = EntryFormat.encode(
                key: key, fields: entry.headers, metadata: entry.metadata, created: moment, body: entry.data,
                least: arriving == nil ? 0 : ArrivingBody.headerLength)
        else {
            throw DataCachingError("\(tree.root): key and header fields are above \(EntryFormat.maximumHeader) bytes")
        }
        let size = header.count + entry.data.count
        guard size <= limits.bytes, limits.count > 0 else {
            throw DataCachingError("\(tree.root): an entry of \(size) bytes is above the limits of the whole cache")
        }
        let file = DiskIndex.File(id: identify(key), size: size, used: moment, created: moment)
        return PreparedEntry(file: file, parts: [header, entry.data], arriving: arriving)
    }

    /// Writes entries: each to its temporary file, then all to their final names in one turn.
    ///
    /// - Parameter isWanted: called just before an entry gets its name. If it returns false, nothing changes.
    /// - Returns: the error of each entry.
    func keep(_ entries: [PreparedEntry], isWanted: (Int) -> Bool) -> [DataFileError?] {
        var failures = [DataFileError?](repeating: nil, count: entries.count)
        var left = Array(entries.indices)
        var reclaimsFirst = reclaim != nil
        for attempt in 1... {
            let drafts = draft(entries, left, &failures)
            commit(drafts, reclaimsFirst: reclaimsFirst, &failures, isWanted: isWanted)
            guard attempt < DataCache.maximumTries, left.contains(where: { failures[$0] != nil }) else { break }
            // Only once: other caches are not asked again for the same entries.
            if left.contains(where: { failures[$0]?.call == DataCache.shortOfSpace }) { reclaimsFirst = false }
            left = left.filter { place in
                guard let failure = failures[place] else { return false }
                return isCured(failure, of: entries[place].file, &failures[place])
            }
            if left.isEmpty { break }
        }
        return failures
    }

    /// Handles a failure.
    ///
    /// - Returns: whether another attempt is worthwhile.
    private func isCured(_ failure: DataFileError, of file: DiskIndex.File, _ outcome: inout DataFileError?) -> Bool {
        switch failure.code {
        case ENOENT, ENOTDIR, ELOOP:
            do throws(DataFileError) {
                try tree.makeShard(of: file.id)
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
    init(_ error: DataFileError) { self.init(error.description, code: error.code) }
}

extension ImageError {
    /// Creates the error of a file that cannot be read or written.
    package init(_ error: DataFileError, at stage: Stage = .reading) {
        self.init(
            error.isMissing ? .missing : .file, at: stage, "cannot \(error.call): \(error.reason)", path: error.path,
            underlying: error)
    }
}
