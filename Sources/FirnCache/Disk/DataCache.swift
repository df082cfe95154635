public import FirnData
import FirnSync
import FoundationEssentials

/// Bytes on the disk, one file an entry, that prove themselves.
///
/// Every read checks the full key and two checksums; a torn, foreign or damaged file is a miss and is removed.
/// A lookup goes by its path alone and waits for nothing. The first store, and the first question after what is held,
/// reads the directory. Several caches, in several processes, may share a directory.
///
/// Invariant: before a file is named into place, the limits hold with it, as far as this process knows the directory.
/// It looks again each time it has stored a quarter of a limit. So with *n* processes no more than 1 + *n*/4 of the
/// limits is ever held.
/// Order: `gate` before `ledger`; a lookup of a whole entry takes only `ledger`.
public final class DataCache: DataCaching {
    /// What this process did and knows. Held for moments only.
    struct Ledger {
        /// `nil` until the directory was read.
        var index: DiskIndex?
        var hits = 0
        var misses = 0
        var stores = 0
        var evictions = 0
        var damaged = 0
    }

    /// What was stored since the directory was read.
    struct Drift {
        var bytes = 0
        var count = 0
    }

    /// The directory, which may hold other things besides.
    public let directory: String
    /// What the cache may hold.
    public let limits: DataCacheLimits

    /// The directory of this format's entries.
    let root: String
    let fileSystem: any FileSystem
    let now: @Sendable () -> Duration
    let identify: @Sendable (String) -> EntryID
    /// Held over calls to the disk, so that files and index change together. Only blocking callers wait for it.
    let gate = Locked(Drift())
    let ledger = Locked(Ledger())
    let temporaries: TemporaryNames

    /// A cache in a directory, which is made when the first entry is stored. Does not touch the disk.
    ///
    /// - Parameter now: time since 1970. By default the system's clock.
    public convenience init(
        directory: String, limits: DataCacheLimits = DataCacheLimits(),
        fileSystem: any FileSystem = LocalFileSystem(), now: (@Sendable () -> Duration)? = nil
    ) {
        self.init(
            directory: directory, limits: limits, fileSystem: fileSystem, now: now ?? { .sinceEpoch() },
            identify: { EntryID(key: $0) })
    }

    /// The same with another way from keys to files, for tests of keys that share one.
    init(
        directory: String, limits: DataCacheLimits, fileSystem: any FileSystem, now: @escaping @Sendable () -> Duration,
        identify: @escaping @Sendable (String) -> EntryID
    ) {
        self.directory = directory
        self.limits = limits
        self.fileSystem = fileSystem
        self.now = now
        self.identify = identify
        root = "\(directory)/v\(EntryFormat.version)"
        temporaries = TemporaryNames()
    }

    /// The entry of a key, its body mapped and not copied.
    ///
    /// - Returns: `nil` if there is none, or if it was torn, damaged, foreign or too old, and is now removed.
    /// - Throws: ``DataCachingError`` if the system did not let the file be read; nothing is changed.
    /// - Complexity: O(bytes of the entry), for its checksum.
    public func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? {
        let id = identify(key)
        let path = path(of: id)
        let file: MappedFile
        do throws(FileError) {
            file = try fileSystem.map(path)
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
        noteUse(id, path, file.status, created: header.created, at: moment)
        return DataCacheEntry(data: file.data(from: header.length), headers: header.fields, metadata: header.metadata)
    }

    /// Whether there is a file for a key; it is not read.
    public func contains(_ key: String) -> Bool {
        guard let status = try? fileSystem.status(path(of: identify(key))) else { return false }
        return !status.isDirectory
    }

    /// Removes the entry of a key, if there is one.
    public func remove(_ key: String) throws(DataCachingError) {
        let id = identify(key)
        do throws(FileError) {
            try gate.withLock { (_) throws(FileError) in
                try removeIfThere(path(of: id))
                ledger.withLock { $0.index?.remove(id) }
            }
        } catch { throw DataCachingError(error) }
    }

    func path(of id: EntryID) -> String { root + "/" + id.path }

    func removeIfThere(_ path: String) throws(FileError) {
        do throws(FileError) {
            try fileSystem.remove(path)
        } catch {
            guard error.isMissing else { throw error }
        }
    }

    func isOlder(_ created: Int64, than age: Duration, at moment: Int64) -> Bool {
        moment.subtractingReportingOverflow(created).partialValue > age.nanoseconds
    }

    /// Removes a file that was read and found useless.
    ///
    /// - Parameter status: of the file that was read. Another one that has come in its place meanwhile stays.
    func discard(_ id: EntryID, _ status: FileStatus, counting isDamaged: Bool) {
        gate.withLock { _ in
            let path = path(of: id)
            guard let present = try? fileSystem.status(path), present.inode == status.inode,
                (try? fileSystem.remove(path)) != nil
            else { return }
            ledger.withLock {
                $0.index?.remove(id)
                if isDamaged { $0.damaged += 1 }
            }
        }
    }

    private func miss() -> DataCacheEntry? {
        ledger.withLock { $0.misses += 1 }
        return nil
    }

    private func noteUse(_ id: EntryID, _ path: String, _ status: FileStatus, created: Int64, at moment: Int64) {
        ledger.withLock {
            $0.hits += 1
            $0.index?.use(.init(id: id, size: status.size, used: moment, created: created))
        }
        if isOlder(status.modified, than: limits.useInterval, at: moment) {
            // A directory that may only be read is still a cache to read from.
            try? fileSystem.touch(path, modified: moment)
        }
    }
}
