package import FirnImage
import FirnSync
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

    /// An entry in its temporary file.
    struct Draft {
        /// Its index among the entries written together.
        let place: Int
        let file: DiskIndex.File
        let temporary: String
    }

    /// Writes entries into temporary files.
    func draft(_ entries: [PreparedEntry], _ places: [Int], _ failures: inout [DataFileError?]) -> [Draft] {
        var drafts: [Draft] = []
        for place in places {
            failures[place] = nil
            let entry = entries[place]
            let temporary = temporaries.next(in: tree.shard(of: entry.file.id))
            do throws(DataFileError) {
                try tree.check()
                let hasBody =
                    entry.arriving.map { body in
                        entry.parts.count == 2 && body.finish(entry.parts[0], entry.parts[1], as: temporary)
                    } ?? false
                if !hasBody { try fileSystem.create(temporary, entry.parts) }
                drafts.append(Draft(place: place, file: entry.file, temporary: temporary))
            } catch {
                failures[place] = error
            }
        }
        return drafts
    }

    /// Makes room for drafts, counts them and renames them to their final names, in one turn. Removes drafts that were
    /// not renamed.
    func commit(
        _ drafts: [Draft], reclaimsFirst: Bool, _ failures: inout [DataFileError?], isWanted: (Int) -> Bool
    ) {
        let sound = drafts.filter { failures[$0.place] == nil }
        var named: Set<Int> = []
        do throws(DataFileError) {
            try gate.withLock { (gate: inout Gate) throws(DataFileError) in
                let wanted = sound.filter { isWanted($0.place) }
                guard let first = wanted.first else { return }
                try inTurn(&gate) { (gate, turn) throws(DataFileError) in
                    try readIfDue(&gate, &turn, at: first.file.used)
                    let isTogether = hasRoom(for: wanted, &gate, turn)
                    for group in isTogether ? [wanted[...]] : wanted.indices.map({ wanted[$0...$0] }) {
                        do throws(DataFileError) {
                            let older = try makeRoom(for: group, reclaimsFirst: reclaimsFirst, &gate, &turn)
                            try name(group, replacing: older, &gate, &turn, &failures)
                            for draft in group where failures[draft.place] == nil { named.insert(draft.place) }
                        } catch {
                            for draft in group { failures[draft.place] = error }
                        }
                    }
                }
            }
        } catch {
            for draft in sound { failures[draft.place] = error }
        }
        for draft in drafts where !named.contains(draft.place) { try? fileSystem.remove(draft.temporary) }
    }

    /// Returns the sizes of the files that drafts will replace, in order, after making room.
    private func makeRoom(
        for group: ArraySlice<Draft>, reclaimsFirst: Bool, _ gate: inout Gate, _ turn: inout Turn
    ) throws(DataFileError) -> [Int?] {
        var sizes: [Int?] = []
        for draft in group { sizes.append(try replacedSize(draft.file.id, gate, turn)) }
        // Several entries are committed together only if there is already room for them.
        if group.count == 1, let draft = group.first {
            try makeRoom(for: draft.file, replacing: sizes[0], reclaimsFirst: reclaimsFirst, &gate, &turn)
        }
        return sizes
    }

    /// Counts drafts and renames them.
    ///
    /// Order: a file is counted before it gets its name, and subtracted after it is removed. A process that ends in
    /// between leaves a record that overestimates, never underestimates.
    private func name(
        _ group: ArraySlice<Draft>, replacing older: [Int?], _ gate: inout Gate, _ turn: inout Turn,
        _ failures: inout [DataFileError?]
    ) throws(DataFileError) {
        if var usage = turn.usage {
            for draft in group { usage.add(draft.file.size) }
            usage.changes &+= UInt64(group.count)
            try write(usage, &turn)
            gate.follow(usage, own: UInt64(group.count))
        }
        let counted = turn.usage
        var stored: [DiskIndex.File] = []
        for (draft, older) in zip(group, older) {
            do throws(DataFileError) {
                try tree.rename(draft.temporary, to: draft.file.id)
                stored.append(draft.file)
                if let older { turn.usage?.remove(older) }
            } catch {
                failures[draft.place] = error
                turn.usage?.remove(draft.file.size)
            }
        }
        // If this write fails, the record overestimates.
        if turn.usage != counted, let usage = turn.usage { try? write(usage, &turn) }
        gate.driftBytes += stored.reduce(0) { $0 + $1.size }
        gate.driftCount += stored.count
        ledger.withLock { ledger in
            ledger.counts.stores += UInt64(stored.count)
            for file in stored {
                ledger.index.insert(file)
                ledger.uses[file.id] = nil
            }
        }
    }

    /// Returns the size of the file that will be replaced; `nil` if there is none.
    private func replacedSize(_ id: EntryID, _ gate: Gate, _ turn: Turn) throws(DataFileError) -> Int? {
        // Other processes are unknown, or none has changed anything since the index was created.
        if turn.usage == nil || gate.isComplete(turn.usage) { return ledger.withLock { $0.index.size(of: id) } }
        return try tree.statusIfThere(tree.path(of: id)).flatMap { $0.isRegular ? $0.size : nil }
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
