public import FirnData
import FirnSync
import FoundationEssentials
import Synchronization

/// A cache of data on disk: one file for each entry, protected by checksums.
///
/// Every read checks the full key and two checksums; a torn, foreign or damaged file is a miss and is removed.
/// A lookup goes by its path alone and waits for nothing. ``stage(_:for:done:)`` returns at once: the entry is found from
/// then on, and a thread of the cache's own writes it. Several caches, in several processes, may share a directory.
///
/// Invariant: before a file is named into place, the limits hold with it: for all processes together, since they count in
/// a shared record and in turns. Where a file system has no locks each process counts what it knows, and looks again each
/// time it has stored a quarter of a limit.
/// Order: `gate` before `staging` before `ledger`; a lookup of a whole entry takes no `gate`. Other processes' turns come
/// inside `gate`.
public final class DataCache: DataCaching {
    /// What this process did and knows. Held for moments only.
    struct Ledger {
        var index = DiskIndex()
        /// Whether the index was made of the directory; until then it has what this process happened to meet.
        var isIndexed = false
        /// Uses that are to be noted on the disk, with their times.
        var uses: [EntryID: Int64] = [:]
        var hits = 0
        var misses = 0
        var stores = 0
        var evictions = 0
        var damaged = 0
        /// What was counted and is in the record already.
        var told = DataCacheTotals()

        /// What was counted since it was last told.
        mutating func takeCounts() -> DataCacheTotals {
            let counted = DataCacheTotals(
                hits: UInt64(hits), misses: UInt64(misses), stores: UInt64(stores), evictions: UInt64(evictions))
            defer { told = counted }
            return DataCacheTotals(
                hits: counted.hits - told.hits, misses: counted.misses - told.misses,
                stores: counted.stores - told.stores, evictions: counted.evictions - told.evictions)
        }
    }

    /// The directory, which may hold other things besides.
    public let directory: String
    /// What the cache may hold. Lower limits hold from the next store on, which removes what is too much;
    /// ``DataCacheLimits/stagedBytes`` stays as it was when the cache was made.
    public var limits: DataCacheLimits {
        get { currentLimits.withLock { $0 } }
        set { currentLimits.withLock { $0 = newValue } }
    }
    private let currentLimits: Locked<DataCacheLimits>
    /// What is done for an entry to outlive the machine's sudden end.
    package let durability: DataCacheDurability

    /// The directory of this format's entries.
    let root: String
    let tree: EntryTree
    let fileSystem: any FileSystem
    let now: @Sendable () -> Duration
    let identify: @Sendable (String) -> EntryID
    let reclaim: (@Sendable (Int) -> Int)?
    /// Held over calls to the disk. Only those who write wait for it.
    let gate = Locked(Gate())
    let ledger = Locked(Ledger())
    let staging: Locked<Staging>
    /// Entries that wait, for those who look: mostly none.
    let stagedCount = Atomic<Int>(0)
    /// What the writer's thread sleeps on.
    let writerParker = ThreadParker()
    let temporaries: TemporaryNames

    /// Creates a cache in a directory, which is made when the first entry is stored. Does not touch the disk.
    ///
    /// The user alone may use what is made (0700 and 0600); a directory that exists keeps its permissions.
    /// - Parameters:
    ///   - directory: the path; it may hold other things besides.
    ///   - limits: what the cache may hold. Default: those of ``DataCacheLimits/init(bytes:count:age:freeSpaceShare:stagedBytes:useInterval:)``.
    public convenience init(directory: String, limits: DataCacheLimits = DataCacheLimits()) {
        self.init(directory: directory, limits: limits, durability: .standard)
    }

    /// Creates a cache over any file system.
    ///
    /// - Parameters:
    ///   - durability: what is done for an entry to outlive the machine's sudden end. Default: nothing; a lost entry is a miss.
    ///   - fileSystem: makes and reads the files. Default: the machine's, where the user alone may use what is made (0700 and
    ///     0600); a directory that exists keeps its permissions.
    ///   - now: time since 1970. By default the system's clock.
    ///   - reclaim: frees some bytes on the same disk that are worth less than entries, and returns how many it has freed;
    ///     asked where the disk is too full for an entry, before entries go or it is given up. Called without a lock, by
    ///     whoever stores. Default: nobody.
    package convenience init(
        directory: String, limits: DataCacheLimits = DataCacheLimits(), durability: DataCacheDurability = .standard,
        fileSystem: any FileSystem = LocalFileSystem(access: .owner), now: (@Sendable () -> Duration)? = nil,
        reclaim: (@Sendable (Int) -> Int)? = nil
    ) {
        self.init(
            directory: directory, limits: limits, durability: durability, fileSystem: fileSystem,
            now: now ?? { .sinceEpoch() }, identify: { EntryID(key: $0) }, reclaim: reclaim)
    }

    /// The same with another way from keys to files, for tests of keys that share one.
    init(
        directory: String, limits: DataCacheLimits, durability: DataCacheDurability = .standard,
        fileSystem: any FileSystem, now: @escaping @Sendable () -> Duration,
        identify: @escaping @Sendable (String) -> EntryID, reclaim: (@Sendable (Int) -> Int)? = nil
    ) {
        self.directory = directory
        currentLimits = Locked(limits)
        self.durability = durability
        self.fileSystem = fileSystem
        self.now = now
        self.identify = identify
        self.reclaim = reclaim
        root = "\(directory)/v\(EntryFormat.version)"
        tree = EntryTree(root: root, fileSystem: fileSystem)
        temporaries = TemporaryNames()
        staging = Locked(Staging(writes: StagedWrites(limit: limits.stagedBytes)))
    }

    /// The entry of a key, with a copy of its body: a file that another process truncates cannot end this one.
    ///
    /// - Returns: `nil` if there is none, or if it was torn, damaged, foreign or too old, and is now removed.
    /// - Throws: ``/FirnData/DataCachingError`` if the system did not let the file be read; nothing is changed.
    /// - Complexity: O(bytes of the entry), for its checksum.
    public func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? {
        if let staged = staged(key) { return staged }
        let id = identify(key)
        let path = path(of: id)
        let file: MappedFile
        do throws(FileError) {
            // Looking for a file is cheaper than opening one that is not there.
            if !ledger.withLock({ $0.index.contains(id) }) { _ = try fileSystem.status(path) }
            file = try fileSystem.load(path)
        } catch {
            guard error.isMissing else { throw DataCachingError(error) }
            return miss()
        }
        let header: EntryHeader
        do throws(EntryDamage) {
            header = try file.withUnsafeBytes { (bytes) throws(EntryDamage) in try EntryFormat.check(bytes) }
            // Another key of the same file name is rare beyond measure, but no damage.
            guard header.key == key || identify(header.key) == id else { throw .misplaced }
        } catch {
            discard(id, file.status, counting: true)
            return miss()
        }
        guard header.key == key else { return miss() }
        let moment = now().nanoseconds
        if let age = limits.age, isOlder(header.created, than: age, at: moment) {
            discard(id, file.status, counting: false)
            return miss()
        }
        noteUse(id, file.status, created: header.created, at: moment)
        return DataCacheEntry(data: file.data(from: header.length), headers: header.fields, metadata: header.metadata)
    }

    /// Whether there is a file for a key; it is not read.
    public func contains(_ key: String) -> Bool {
        if isStaged(key) { return true }
        guard let status = try? fileSystem.status(path(of: identify(key))) else { return false }
        return !status.isDirectory
    }

    /// Removes the entry of a key, if there is one.
    public func remove(_ key: String) throws(DataCachingError) {
        dropStaged(key)
        let id = identify(key)
        do throws(FileError) {
            try gate.withLock { (gate: inout Gate) throws(FileError) in
                try inTurn(&gate) { (gate, turn) throws(FileError) in
                    try removeCounted(path(of: id), &turn)
                    ledger.withLock { $0.index.remove(id) }
                    try noteChange(&gate, &turn)
                }
            }
        } catch { throw DataCachingError(error) }
    }

    func path(of id: EntryID) -> String { tree.path(of: id) }

    func isOlder(_ created: Int64, than age: Duration, at moment: Int64) -> Bool {
        moment.subtractingReportingOverflow(created).partialValue > age.nanoseconds
    }

    /// Removes a file that was read and found useless.
    ///
    /// - Parameter status: of the file that was read. Another one that has come in its place meanwhile stays.
    func discard(_ id: EntryID, _ status: FileStatus, counting isDamaged: Bool) {
        gate.withLock { gate in
            try? inTurn(&gate) { (gate, turn) throws(FileError) in
                let path = path(of: id)
                guard try fileSystem.status(path).inode == status.inode else { return }
                try removeCounted(path, &turn)
                ledger.withLock {
                    $0.index.remove(id)
                    if isDamaged { $0.damaged += 1 }
                }
                try noteChange(&gate, &turn)
            }
        }
    }

    func miss() -> DataCacheEntry? {
        ledger.withLock { $0.misses += 1 }
        return nil
    }
}

/// What is done for an entry to outlive the machine's sudden end.
package enum DataCacheDurability: Hashable, Sendable {
    /// Nothing: after a power failure an entry may be torn or gone, and is then a miss.
    case standard
    /// Content and name are forced to the medium before the entry counts as stored. Takes as long as the medium does.
    case full
}
