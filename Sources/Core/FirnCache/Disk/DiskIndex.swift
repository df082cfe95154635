/// The content of a cache's directory as one process assumes it.
///
/// A pure value, with the two orders that eviction needs: least recently used first, and oldest first. Every operation
/// is O(1).
///
/// Other processes may add and remove files at any time, so the index may be wrong in both directions: a known file may
/// be gone (noticed at eviction), and an unknown file may exist (noticed at a hit or the next scan).
///
/// Invariant: `places`, `byUse` and `byAge` have the slots with a file; the others are in `free`.
/// Invariant: `bytes` is the sum of their sizes.
struct DiskIndex {
    /// A file with its length and the times of its last use and creation.
    struct File {
        let id: EntryID
        let size: Int
        var used: Int64
        let created: Int64
    }

    /// The slots of the files, by the hashes of their names.
    private var places = HashIndex()
    private var files: [File?] = []
    private var free: [Int32] = []
    private var byUse = SlotList()
    private var byAge = SlotList()
    private(set) var bytes = 0

    var count: Int { places.count }

    /// Creates an empty index.
    init() {}

    /// Creates the index from the result of a scan.
    ///
    /// - Parameter known: the old index, with uses that are not yet recorded on disk.
    init(_ files: [File], known: DiskIndex?) {
        var ranks: [EntryID: Int] = [:]
        var files = files
        if let known {
            var slot = known.byUse.first()
            while let file = known.file(at: slot) {
                ranks[file.id] = ranks.count
                slot = known.byUse.next(slot)
            }
            for at in files.indices { files[at].used = max(files[at].used, known.file(files[at].id)?.used ?? .min) }
        }
        // Order: inserted by age, as insertion requires; then marked as used in order of use.
        for file in files.sorted(by: { $0.created < $1.created }) { insert(file) }
        for file in files.sorted(by: { ($0.used, ranks[$0.id] ?? -1) < ($1.used, ranks[$1.id] ?? -1) }) {
            if let slot = place(file.id) { byUse.moveToBack(slot) }
        }
    }

    private func place(_ id: EntryID) -> Int32? { places.find(id.low) { files[Int($0)]?.id == id } }

    private func file(at slot: Int32) -> File? { slot == SlotList.none ? nil : files[Int(slot)] }

    private func file(_ id: EntryID) -> File? { place(id).flatMap { file(at: $0) } }

    /// Returns whether the entry is known.
    func contains(_ id: EntryID) -> Bool { place(id) != nil }

    /// Inserts a new file as the most recently used and youngest one, and replaces an older one.
    mutating func insert(_ file: File) {
        remove(file.id)
        let slot = free.popLast() ?? Int32(files.count)
        if Int(slot) == files.count { files.append(file) } else { files[Int(slot)] = file }
        places.insert(slot, file.id.low)
        byUse.append(slot)
        byAge.append(slot)
        bytes += file.size
    }

    /// Records a use of a file.
    ///
    /// - Parameter isPartial: whether the directory has not been read yet; an unknown file is then inserted. Otherwise
    ///   an unknown file was just removed or belongs to another process, and is ignored: sizes must be those of
    ///   existing files.
    mutating func use(_ file: File, isPartial: Bool) {
        guard let slot = place(file.id) else { return isPartial ? insert(file) : () }
        byUse.moveToBack(slot)
        files[Int(slot)]?.used = file.used
    }

    /// Removes a file.
    mutating func remove(_ id: EntryID) { _ = take(id) }

    private mutating func take(_ id: EntryID) -> File? {
        guard let slot = place(id), let file = files[Int(slot)].take() else { return nil }
        places.remove(slot, id.low)
        free.append(slot)
        byUse.remove(slot)
        byAge.remove(slot)
        bytes -= file.size
        return file
    }

    /// Moves an entry that cannot be removed behind all others.
    mutating func skip(_ id: EntryID, renewedAt moment: Int64) {
        guard let file = take(id) else { return }
        insert(File(id: id, size: file.size, used: file.used, created: moment))
    }

    /// Returns the size of an entry's file; `nil` if this process does not know it.
    func size(of id: EntryID) -> Int? { file(id)?.size }

    /// The entry that was stored first.
    var oldest: (id: EntryID, created: Int64)? { file(at: byAge.first()).map { ($0.id, $0.created) } }

    /// Returns the least recently used entry other than the one about to be replaced.
    mutating func leastRecent(except id: EntryID) -> EntryID? {
        if let first = file(at: byUse.first()), first.id == id { byUse.moveToBack(byUse.first()) }
        return file(at: byUse.first()).flatMap { $0.id == id ? nil : $0.id }
    }

    /// Returns the files of all entries in the directory. Removes leftovers of dead writers.
    ///
    /// - Parameter created: returns when the entry at a path was stored; `nil` to use its last use instead.
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

/// The counts and the index of a cache's directory, in one process.
struct DiskLedger {
    var index = DiskIndex()
    /// True if the index covers the whole directory. Before that, it has only entries that this process used.
    var isIndexed = false
    /// Uses that a data cache has not yet recorded on disk, with their times.
    var uses: [EntryID: Int64] = [:]
    var counts = DataCacheTotals()
    var damaged = 0
    /// The counts already in the record of a data cache.
    private var told = DataCacheTotals()

    /// Removes an entry whose file was removed.
    mutating func remove(_ id: EntryID, isDamaged: Bool) {
        index.remove(id)
        if isDamaged { damaged += 1 }
    }

    /// Counts a hit and records the use.
    mutating func use(_ id: EntryID, _ status: FileStatus, created: Int64, at moment: Int64) {
        counts.hits += 1
        index.use(.init(id: id, size: status.size, used: moment, created: created), isPartial: !isIndexed)
    }

    /// Returns the counts since the last call.
    mutating func takeCounts() -> DataCacheTotals {
        defer { told = counts }
        return DataCacheTotals(
            hits: counts.hits - told.hits, misses: counts.misses - told.misses, stores: counts.stores - told.stores,
            evictions: counts.evictions - told.evictions)
    }

    func statistics(_ totals: DataCacheTotals) -> CacheStatistics {
        CacheStatistics(
            count: index.count, bytes: index.bytes, hits: Int(clamping: counts.hits),
            misses: Int(clamping: counts.misses), stores: Int(clamping: counts.stores),
            evictions: Int(clamping: counts.evictions), damaged: damaged, totals: totals)
    }
}
