import FirnData

/// What one process believes to be in a cache's directory.
///
/// A pure value. Other processes may add and remove files at any time, so it may be wrong in both directions: a file
/// it knows may be gone (found out when it is to be evicted), and a file may be there that it does not know
/// (found out at a hit, or by the next scan).
struct DiskIndex {
    /// A file as a scan found it.
    struct File {
        let id: EntryID
        let size: Int
        var used: Int64
        let created: Int64
    }

    /// The value of an entry is when it was last used, its cost the length of its file.
    private var table = LRUTable<EntryID, Int64>()

    var count: Int { table.count }
    var bytes: Int { table.cost }

    /// An empty index.
    init() {}

    /// The index of what a scan found.
    ///
    /// - Parameter known: the index until now, which knows of uses that are not noted on the disk.
    init(_ files: [File], known: DiskIndex?) {
        var ranks: [EntryID: Int] = [:]
        for (rank, entry) in (known?.table.entries ?? []).enumerated() { ranks[entry.key] = rank }
        var files = files
        for at in files.indices {
            files[at].used = max(files[at].used, known?.table.peek(files[at].id)?.value ?? .min)
        }
        // Order: by age first, since that is the order in which entries must be put in; then used in order of use.
        for file in files.sorted(by: { $0.created < $1.created }) { insert(file) }
        for file in files.sorted(by: { ($0.used, ranks[$0.id] ?? -1) < ($1.used, ranks[$1.id] ?? -1) }) {
            _ = table.use(file.id)
        }
    }

    /// Whether the entry is known.
    func contains(_ id: EntryID) -> Bool { table.peek(id) != nil }

    /// Puts in a file that was stored, in place of an older one.
    mutating func insert(_ file: File) {
        _ = table.insert(.init(key: file.id, value: file.used, cost: file.size, born: file.created))
    }

    /// Notes that a file is in use.
    ///
    /// - Parameter isPartial: whether the directory was not read yet; a file that is not known is then put in. Later it is one
    ///   that has just been removed, or another process' own: sizes are counted on, and have to be those of what is there.
    mutating func use(_ file: File, isPartial: Bool) {
        guard table.use(file.id) != nil else { return isPartial ? insert(file) : () }
        table.setValue(file.used, for: file.id)
    }

    /// Forgets a file.
    mutating func remove(_ id: EntryID) { _ = table.remove(id) }

    /// Puts an entry that cannot be removed out of the way of others.
    mutating func skip(_ id: EntryID, renewedAt moment: Int64) {
        guard let entry = table.remove(id) else { return }
        insert(File(id: id, size: entry.cost, used: entry.value, created: moment))
    }

    /// Bytes of an entry's file, as far as this process knows; `nil` for one that it does not know.
    func size(of id: EntryID) -> Int? { table.peek(id)?.cost }

    /// The entry that was stored first.
    var oldest: (id: EntryID, created: Int64)? { table.oldest.map { ($0.key, $0.born) } }

    /// The entry that was not used for longest, but for the one that is about to be replaced: that goes anyway.
    mutating func leastRecent(except id: EntryID) -> EntryID? {
        if table.leastRecent?.key == id { _ = table.use(id) }
        return table.leastRecent.flatMap { $0.key == id ? nil : $0.key }
    }
}
