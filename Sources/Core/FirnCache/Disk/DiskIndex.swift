import FirnData

/// The assumed content of a cache's directory, in one process.
///
/// A pure value. Other processes may add and remove files at any time, so it may be wrong in both directions: a known
/// file may not exist (noticed when it is evicted), and an unknown file may exist (noticed at a hit, or by the next
/// scan).
struct DiskIndex {
    /// A file found by a scan.
    struct File {
        let id: EntryID
        let size: Int
        var used: Int64
        let created: Int64
    }

    /// An entry's value is the time of its last use, its cost the length of its file.
    private var table = LRUTable<EntryID, Int64>()

    var count: Int { table.count }
    var bytes: Int { table.cost }

    /// Creates an empty index.
    init() {}

    /// Creates the index of a scan's result.
    ///
    /// - Parameter known: the old index, which has uses that are not recorded on disk.
    init(_ files: [File], known: DiskIndex?) {
        var ranks: [EntryID: Int] = [:]
        for (rank, entry) in (known?.table.entries ?? []).enumerated() { ranks[entry.key] = rank }
        var files = files
        for at in files.indices {
            files[at].used = max(files[at].used, known?.table.peek(files[at].id)?.value ?? .min)
        }
        // Order: by age first, since entries must be inserted in that order; then marked as used in order of use.
        for file in files.sorted(by: { $0.created < $1.created }) { insert(file) }
        for file in files.sorted(by: { ($0.used, ranks[$0.id] ?? -1) < ($1.used, ranks[$1.id] ?? -1) }) {
            _ = table.use(file.id)
        }
    }

    /// Returns whether the entry is known.
    func contains(_ id: EntryID) -> Bool { table.peek(id) != nil }

    /// Inserts a stored file and replaces an older one.
    mutating func insert(_ file: File) {
        _ = table.insert(.init(key: file.id, value: file.used, cost: file.size, born: file.created))
    }

    /// Records a use of a file.
    ///
    /// - Parameter isPartial: whether the directory has not been read yet; an unknown file is then inserted.
    ///   Afterwards, an unknown file was just removed or is another process' own: sizes must be those of existing
    ///   files.
    mutating func use(_ file: File, isPartial: Bool) {
        guard table.use(file.id) != nil else { return isPartial ? insert(file) : () }
        table.setValue(file.used, for: file.id)
    }

    /// Removes a file.
    mutating func remove(_ id: EntryID) { _ = table.remove(id) }

    /// Moves an entry that cannot be removed behind the others.
    mutating func skip(_ id: EntryID, renewedAt moment: Int64) {
        guard let entry = table.remove(id) else { return }
        insert(File(id: id, size: entry.cost, used: entry.value, created: moment))
    }

    /// Returns the bytes of an entry's file; `nil` if this process does not know it.
    func size(of id: EntryID) -> Int? { table.peek(id)?.cost }

    /// The entry that was stored first.
    var oldest: (id: EntryID, created: Int64)? { table.oldest.map { ($0.key, $0.born) } }

    /// Returns the least recently used entry, except the one that is about to be replaced.
    mutating func leastRecent(except id: EntryID) -> EntryID? {
        if table.leastRecent?.key == id { _ = table.use(id) }
        return table.leastRecent.flatMap { $0.key == id ? nil : $0.key }
    }
}

/// The counts and the index of a cache's directory, in one process.
struct DiskLedger {
    var index = DiskIndex()
    /// True if the index contains the whole directory. Before that, it has the entries that this process used.
    var isIndexed = false
    /// Uses that a data cache has not recorded on disk yet, with their times.
    var uses: [EntryID: Int64] = [:]
    var hits = 0
    var misses = 0
    var stores = 0
    var evictions = 0
    var damaged = 0
    /// The counts that are already in the record of a data cache.
    private var told = DataCacheTotals()

    /// Removes an entry whose file was removed.
    mutating func remove(_ id: EntryID, isDamaged: Bool) {
        index.remove(id)
        if isDamaged { damaged += 1 }
    }

    /// Counts a hit, which uses an entry.
    mutating func use(_ id: EntryID, _ status: FileStatus, created: Int64, at moment: Int64) {
        hits += 1
        index.use(.init(id: id, size: status.size, used: moment, created: created), isPartial: !isIndexed)
    }

    /// Returns the counts since the last call.
    mutating func takeCounts() -> DataCacheTotals {
        let counted = DataCacheTotals(
            hits: UInt64(hits), misses: UInt64(misses), stores: UInt64(stores), evictions: UInt64(evictions))
        defer { told = counted }
        return DataCacheTotals(
            hits: counted.hits - told.hits, misses: counted.misses - told.misses,
            stores: counted.stores - told.stores, evictions: counted.evictions - told.evictions)
    }

    func statistics(_ totals: DataCacheTotals) -> CacheStatistics {
        CacheStatistics(
            count: index.count, bytes: index.bytes, hits: hits, misses: misses, stores: stores, evictions: evictions,
            damaged: damaged, totals: totals)
    }
}

extension DiskIndex {
    /// Returns the files of all entries in the directory. Removes the leftovers of dead writers.
    ///
    /// - Parameter created: returns when the entry of a path was stored; `nil` to use its last use instead.
    static func scan(
        _ tree: EntryTree, at moment: Int64, created: (String) -> Int64?
    ) throws(DataFileError) -> [File] {
        var files: [File] = []
        try tree.forEachFile { (finding) throws(DataFileError) in
            switch finding {
            case .entry(let id, let path, let status):
                files.append(
                    File(id: id, size: status.size, used: status.modified, created: created(path) ?? status.modified))
            case .temporary(let path, let status):
                if TemporaryNames.isLeftBehind(status, at: moment) { try? tree.removeIfThere(path) }
            // Without the sizes of these files, the limits would be exceeded.
            case .unreadable(let error): throw error
            // Obstacles were never counted.
            case .obstacle, .other: break
            }
        }
        return files
    }
}
