@_exported public import FirnData
import FirnSync
public import FoundationEssentials
import Synchronization

/// A cache of data on disk: one file for each entry, protected by checksums.
///
/// Every read checks the full key and two checksums; an incomplete, foreign or damaged file is a miss and is removed. A
/// lookup needs only the path and never waits. ``stage(_:for:done:)`` returns at once: lookups find the entry from then
/// on, and the cache's own thread writes it. Several caches in several processes may share a directory.
///
/// Invariant: the limits include a file before it gets its final name. They apply to all processes together, which take
/// turns to update a shared record. On a file system without locks, each process counts what it knows, and reads the
/// directory again after storing a quarter of a limit.
///
/// Order: `gate` before `staging` before `ledger`; a lookup of an intact entry takes no `gate`. Turns among processes
/// are taken inside `gate`.
public final class DataCache: DataCaching {
    /// The path of the directory. It may contain other files.
    package let folder: String
    /// The limits of the cache. Lower limits apply from the next store, which evicts entries as needed.
    /// ``DataCacheLimits/stagedBytes`` cannot change after the cache is created.
    package var limits: DataCacheLimits {
        get { currentLimits.withLock { $0 } }
        set { currentLimits.withLock { $0 = newValue } }
    }
    /// The maximum bytes of all files, with headers. A lower limit applies from the next store, which evicts entries as
    /// needed.
    public var sizeLimit: Int {
        get { limits.bytes }
        set { limits.bytes = max(0, newValue) }
    }
    private let currentLimits: Locked<DataCacheLimits>

    let tree: EntryTree
    var fileSystem: any FileSystem { tree.fileSystem }
    let now: @Sendable () -> Duration
    let identify: @Sendable (String) -> EntryID
    /// The parameter `reclaim`, for anything other than a bitmap store.
    let ownReclaim: (@Sendable (Int) -> Int)?
    /// The folder that the cache was created with.
    let placement: (folder: String, isShared: Bool, isOptional: Bool)
    let companions = Locked(Companions())
    /// Held during disk access. Only writers wait for it.
    let gate = Locked(Gate())
    /// The counts and the index of this process. Its lock is held only briefly.
    let ledger = Locked(DiskLedger())
    let staging: Locked<Staging>
    /// The number of staged entries, for lookups; usually 0.
    let stagedCount = Atomic<Int>(0)
    /// Parks the writer's thread.
    let writerParker = ThreadParker()
    let temporaries = TemporaryNames()

    /// Creates a cache in a directory, which the first entry creates. Does not access the disk.
    ///
    /// New files are private to the user (0700 and 0600); an existing directory keeps its permissions.
    ///
    /// A directory that other users can write to, or that is below one, is refused: every call fails with the reason,
    /// except ``contains(_:)``, which returns false. A pipeline continues without the cache and reports this once.
    /// - Parameters:
    ///   - directory: the `file:` URL. The directory may contain other files.
    ///   - sizeLimit: maximum bytes of all files, with headers. Default: 256 MiB, about 5,000 phone-screen images.
    ///   - countLimit: maximum number of entries. Default: no limit.
    ///   - age: the maximum age of an entry; `nil` (the default) for no limit, since the rules of HTTP decide about
    ///     freshness.
    ///   - freeSpaceShare: maximum share of the disk's free space, counting the cache's own files as free; `nil` for no
    ///     limit. Checked every second while entries are stored, so the cache shrinks when other files fill the disk.
    ///     Default: a quarter.
    ///   - stagedBytes: maximum bytes of staged entries. Above it, callers that stage entries write them. Default:
    ///     16 MiB.
    ///   - useInterval: the minimum time between two recorded uses of an entry. Within a process the order of use is
    ///     exact; after a restart, and for other processes, it is only as precise as this interval. Default: ten
    ///     minutes, so that a hit costs no write.
    ///   - isShared: whether the directory is used even if other users can write to it. They can then forge entries.
    ///     Default: no.
    public convenience init(
        directory: URL, sizeLimit: Int = 256 << 20, countLimit: Int = .max, age: Duration? = nil,
        freeSpaceShare: Double? = 0.25, stagedBytes: Int = 16 << 20, useInterval: Duration = .seconds(600),
        isShared: Bool = false
    ) {
        let limits = DataCacheLimits(
            bytes: sizeLimit, count: countLimit, age: age, freeSpaceShare: freeSpaceShare, stagedBytes: stagedBytes,
            useInterval: useInterval)
        self.init(directory: directory.localPath ?? "", limits: limits, isShared: isShared, subdirectory: nil)
    }

    /// Checks a directory before use.
    ///
    /// - Parameter names: the directories in it that the caller creates. Anything else at these names is removed.
    /// - Throws: ``/FirnData/DataCachingError`` if other users can write to it. A missing directory is not an error.
    package static func check(directory: String, making names: [String] = []) throws(DataCachingError) {
        do throws(DataFileError) {
            _ = try LocalFileSystem.caches.checkPrivate(directory, parts: names.map { "\(directory)/\($0)" })
        } catch {
            if error.isRefusal { throw DataCachingError(error) }
        }
    }

    /// Creates a cache over any file system.
    ///
    /// - Parameters:
    ///   - subdirectory: the directory in it that holds the entries; `nil` (the default) for none.
    ///   - isOptional: whether a directory that is not writable disables the cache. Default: no.
    ///   - fileSystem: creates and reads the files. Default: the machine's, with permissions for the user only (0700
    ///     and 0600); an existing directory keeps its permissions.
    ///   - now: returns the time since 1970. Default: the system's clock.
    ///   - identify: returns the file for a key. Default: by its hash. Tests use keys that share a file.
    ///   - reclaim: frees bytes of less valuable files on the same disk and returns their number. Called when the disk
    ///     is too full for an entry, before entries are evicted or the store fails; without a lock, on the storing
    ///     thread. Default: frees nothing.
    @_disfavoredOverload
    package init(
        directory: String, limits: DataCacheLimits = DataCacheLimits(), isShared: Bool = false,
        subdirectory: String? = nil, isOptional: Bool = false, fileSystem: any FileSystem = LocalFileSystem.caches,
        now: (@Sendable () -> Duration)? = nil,
        identify: @escaping @Sendable (String) -> EntryID = { EntryID(key: $0) },
        reclaim: (@Sendable (Int) -> Int)? = nil
    ) {
        folder = subdirectory.map { "\(directory)/\($0)" } ?? directory
        currentLimits = Locked(limits)
        self.now = now ?? { .sinceEpoch() }
        self.identify = identify
        ownReclaim = reclaim
        placement = (directory, isShared, isOptional)
        let names = [subdirectory, "v\(EntryFormat.version)"].compactMap(\.self)
        tree = EntryTree(
            folder: directory, names: names, isShared: isShared, isOptional: isOptional, fileSystem: fileSystem)
        staging = Locked(Staging(writes: StagedWrites(limit: limits.stagedBytes)))
    }

    /// Returns the entry for a key, with a copy of its body: a file truncated by another process cannot end this one.
    ///
    /// - Returns: `nil` if there is none. An incomplete, damaged, foreign or expired file is removed, and the result is
    ///   `nil`.
    /// - Throws: ``/FirnData/DataCachingError`` if the system refused to read the file. Nothing changes.
    /// - Complexity: O(bytes of the entry), for the checksum.
    public func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? {
        if let staged = staged(key) {
            ledger.withLock { $0.counts.hits += 1 }
            return staged
        }
        let id = identify(key)
        let path = tree.path(of: id)
        let file: MappedFile
        do throws(DataFileError) {
            try tree.check()
            // For a missing file, checking the status is faster than a failed open.
            if !ledger.withLock({ $0.index.contains(id) }) { _ = try fileSystem.status(path) }
            file = try fileSystem.load(path)
        } catch {
            guard error.isMissing || error.isNoFile && discardObstacle(at: id) else { throw DataCachingError(error) }
            return miss()
        }
        let header: EntryHeader
        do throws(EntryDamage) {
            header = try file.withUnsafeBytes { (bytes) throws(EntryDamage) in try EntryFormat.check(bytes) }
            // Another key with the same file name is extremely rare, but not damage.
            guard header.key == key || identify(header.key) == id else { throw .misplaced }
        } catch {
            discard(id, file.status, counting: true)
            return miss()
        }
        guard header.key == key else { return miss() }
        let moment = now().nanoseconds
        if let age = limits.age, header.created.isExpired(after: age.nanoseconds, at: moment) {
            discard(id, file.status, counting: false)
            return miss()
        }
        noteUse(id, file.status, created: header.created, at: moment)
        return DataCacheEntry(data: file.data(from: header.length), headers: header.fields, metadata: header.metadata)
    }

    /// Returns whether a file exists for a key. Does not read it.
    public func contains(_ key: String) -> Bool {
        if staged(key) != nil { return true }
        guard (try? tree.check()) != nil, let status = try? fileSystem.status(tree.path(of: identify(key)))
        else { return false }
        return status.isRegular
    }

    /// Removes the entry for a key if it exists.
    public func remove(_ key: String) throws(DataCachingError) {
        dropStaged(key)
        let id = identify(key)
        do throws(DataFileError) {
            try inTurn { (gate, turn) throws(DataFileError) in
                try removeCounted(tree.path(of: id), &turn)
                ledger.withLock { $0.index.remove(id) }
                try noteChange(&gate, &turn)
            }
        } catch { throw DataCachingError(error) }
    }

    /// Removes an unusable file, unless it has been replaced meanwhile.
    ///
    /// - Parameter status: the status of the file that was read.
    func discard(_ id: EntryID, _ status: FileStatus, counting isDamaged: Bool) {
        try? inTurn { (gate, turn) throws(DataFileError) in
            let path = tree.path(of: id)
            guard try fileSystem.status(path).inode == status.inode else { return }
            try removeCounted(path, &turn)
            ledger.withLock { $0.remove(id, isDamaged: isDamaged) }
            try noteChange(&gate, &turn)
        }
    }

    /// Removes anything but a file at the name of an entry. It was never counted.
    ///
    /// - Returns: whether something was removed.
    private func discardObstacle(at id: EntryID) -> Bool {
        let isGone = try? inTurn { (_, _) throws(DataFileError) in
            let isGone = tree.removeObstacle(at: id)
            if isGone { ledger.withLock { $0.remove(id, isDamaged: true) } }
            return isGone
        }
        return isGone ?? false
    }

    func miss() -> DataCacheEntry? {
        ledger.withLock { $0.counts.misses += 1 }
        return nil
    }
}
