package import FirnImage
import FirnSync
public import FoundationEssentials

/// A store of decoded images on disk, one file each: a hit maps the file and does not decode, copy or allocate pixels.
///
/// A hit checks the header's checksum, the full key and the file's length, in constant time. Only `firn cache verify`
/// checks the checksum of the pixels: an error there is one that the disk missed, and causes a wrong image, never a
/// crash. Files are created by rename and never changed, so a file under its final name is complete. A file truncated
/// by a power failure has the wrong length, on file systems that write the length after the bytes.
///
/// Invariant: files are replaced by rename or removed, never truncated or written to; a mapping stays valid through
/// both. If another process truncates a file, every process that shows it ends (`SIGBUS`): the directory must belong to
/// the store alone. Otherwise set `isMapped` to `false`.
///
/// Invariant: the limits include a file before it gets its final name, as far as this process knows the directory. It
/// reads the directory again after storing a quarter of a limit, so *n* processes never hold more than 1 + *n*/4 of it.
///
/// Order: `gate` before `ledger`. A lookup of an intact image takes only `ledger`.
public final class BitmapStore: Sendable {
    /// The state of the directory as known here.
    struct Gate {
        var isRead = false
        /// Bytes stored since the directory was read.
        var drift = 0
    }

    /// The path of the directory, which may contain other files, such as those of a data cache.
    package let folder: String
    /// The limits of the store.
    package let limits: BitmapStoreLimits

    let tree: EntryTree
    var fileSystem: any FileSystem { tree.fileSystem }
    let now: @Sendable () -> Duration
    /// Held during disk access, so that files and index change together. Only stores wait for it.
    let gate = Locked(Gate())
    /// The counts and the index of this process. Its lock is held only briefly.
    let ledger = Locked(DiskLedger())
    let temporaries = TemporaryNames()

    /// Creates a store in a directory, which is created with the first image. Does not access the disk.
    ///
    /// - Parameters:
    ///   - directory: the `file:` URL. The directory may contain other files, such as those of a ``DataCache``.
    ///   - bytes: maximum bytes of all files, with headers. Default: 512 MiB, about 60 images of 1920 × 1080 or 4,000
    ///     of 180 × 180.
    ///   - entryBytes: maximum bytes of one image. Default: a sixteenth of `bytes`, so one image does not evict many.
    ///   - pyramidBytes: maximum bytes of the pyramid of one large image: four bytes for each pixel of the image, plus
    ///     a third. Default: `bytes`, which is also the maximum. A large pyramid evicts most other images.
    ///   - age: the maximum age of an image; `nil` (the default) for no limit.
    ///   - freeSpaceShare: maximum share of the disk's free space, counting the store's own files as free; `nil` for no
    ///     limit. Default: a tenth, less than for a ``DataCache``, since bitmaps can be decoded again.
    ///   - useInterval: the minimum time between two recorded uses of an image. Default: ten minutes, so that a hit
    ///     costs no write.
    ///   - isMapped: whether images are mapped from their files. Otherwise they are copied into memory, which takes as
    ///     long as reading, but survives a truncated file, for example on a network drive. Default: yes.
    ///   - isShared: whether the directory is used even if other users can write to it, as for a ``DataCache``.
    ///     Default: no.
    public convenience init(
        directory: URL, bytes: Int = 512 << 20, entryBytes: Int? = nil, pyramidBytes: Int? = nil,
        age: Duration? = nil, freeSpaceShare: Double? = 0.1, useInterval: Duration = .seconds(600),
        isMapped: Bool = true, isShared: Bool = false
    ) {
        let limits = BitmapStoreLimits(
            bytes: bytes, entryBytes: entryBytes, age: age, freeSpaceShare: freeSpaceShare, useInterval: useInterval,
            isMapped: isMapped, pyramidBytes: pyramidBytes)
        self.init(directory: directory.localPath ?? "", limits: limits, isShared: isShared)
    }

    /// Returns a store in a directory. Does not access the disk.
    ///
    /// - Parameters:
    ///   - directory: the `file:` URL. The directory may contain other files, such as those of a ``DataCache``.
    ///   - limit: maximum bytes of all files. Default: 512 MiB.
    ///   - isShared: whether the directory is used even if other users can write to it. Default: no.
    public static func disk(at directory: URL, limit: Int = 512 << 20, isShared: Bool = false) -> BitmapStore {
        BitmapStore(directory: directory, bytes: limit, isShared: isShared)
    }

    /// Like `disk(at:limit:isShared:)`, for the directory at a path.
    public static func disk(path: String, limit: Int = 512 << 20, isShared: Bool = false) -> BitmapStore {
        BitmapStore(directory: URL(localPath: path), bytes: limit, isShared: isShared)
    }

    /// Creates a store over any file system.
    ///
    /// - Parameters:
    ///   - fileSystem: creates and reads the files. Default: the machine's, with permissions for the user only (0700
    ///     and 0600); an existing directory keeps its permissions.
    ///   - now: returns the time since 1970. Default: the system's clock.
    package init(
        directory: String, limits: BitmapStoreLimits, isShared: Bool = false,
        fileSystem: any FileSystem = LocalFileSystem.caches, now: (@Sendable () -> Duration)? = nil
    ) {
        folder = directory
        self.limits = limits
        self.now = now ?? { .sinceEpoch() }
        tree = EntryTree(
            folder: directory, names: ["bitmaps-v\(BitmapFormat.version)"], isShared: isShared, fileSystem: fileSystem)
    }

    /// Returns the image for a key, backed by its mapped file.
    ///
    /// - Returns: `nil` if there is none or it could not be read. An incomplete, damaged, foreign or expired file is
    ///   removed, and the result is `nil`.
    /// - Complexity: O(1): open, map, 4 KiB of checksum. The kernel reads pixels when they are accessed.
    package func image(for key: ImageCacheKey) -> ImageContainer? {
        let id = EntryID(key: key.string)
        let path = tree.path(of: id)
        guard let file = opened(id, { (path) throws(DataFileError) in try open(path) }) else { return miss() }
        let header: BitmapHeader
        do throws(EntryDamage) {
            header = try file.withUnsafeBytes { (bytes) throws(EntryDamage) in try BitmapFormat.decode(bytes) }
            guard header.key == key.string || EntryID(key: header.key) == id else { throw .misplaced }
        } catch {
            discard(id, file.status, counting: true)
            return miss()
        }
        guard header.key == key.string else { return miss() }
        // Earlier versions stored drawings no larger than their stated size, whatever size was requested.
        guard header.source != ImageFormat.svg.rawValue || header.vectorSize != nil else {
            discard(id, file.status, counting: false)
            return miss()
        }
        let moment = now().nanoseconds
        if let age = limits.age, header.created.isExpired(after: age.nanoseconds, at: moment) {
            discard(id, file.status, counting: false)
            return miss()
        }
        guard let image = BitmapStore.bitmap(file, header) else { return miss() }
        noteUse(id, path, file.status, created: header.created, at: moment)
        var container = ImageContainer(
            image: image, format: header.source.isEmpty ? nil : ImageFormat(rawValue: header.source),
            originalSize: header.originalSize)
        container.sourceVersion = header.version
        container.vectorSize = header.vectorSize
        // An image stored while the clock was ahead has an unknown age and counts as stale.
        container.freshNanoseconds =
            header.freshUntil != .max && header.created.isFromFuture(at: moment) ? 0 : header.freshUntil
        return container
    }

    /// Removes the image for a key if it exists.
    package func remove(_ key: ImageCacheKey) throws(DataCachingError) {
        let id = EntryID(key: key.string)
        do throws(DataFileError) {
            try gate.withLock { (_) throws(DataFileError) in
                try tree.check()
                try tree.removeIfThere(tree.path(of: id))
                ledger.withLock { $0.index.remove(id) }
            }
        } catch { throw DataCachingError(error) }
    }

    /// Opens the file of an entry. Removes anything else at its name.
    ///
    /// - Returns: `nil` if there is none or it could not be opened.
    func opened<File>(_ id: EntryID, _ open: (String) throws(DataFileError) -> File) -> File? {
        do throws(DataFileError) {
            try tree.check()
            return try open(tree.path(of: id))
        } catch {
            guard error.isNoFile, gate.withLock({ _ in tree.removeObstacle(at: id) }) else { return nil }
            ledger.withLock { $0.remove(id, isDamaged: true) }
            return nil
        }
    }

    func open(_ path: String) throws(DataFileError) -> MappedFile {
        if limits.isMapped { return try fileSystem.map(path) }
        return try fileSystem.load(path)
    }

    /// Removes an unusable file, unless it has been replaced meanwhile.
    func discard(_ id: EntryID, _ status: FileStatus, counting isDamaged: Bool) {
        gate.withLock { _ in
            let path = tree.path(of: id)
            guard let present = try? fileSystem.status(path), present.inode == status.inode,
                (try? fileSystem.remove(path)) != nil
            else { return }
            ledger.withLock { $0.remove(id, isDamaged: isDamaged) }
        }
    }

    /// Returns an image over a file's bytes, which live as long as the image.
    private static func bitmap(_ file: MappedFile, _ header: BitmapHeader) -> Bitmap? {
        file.withUnsafeBytes { bytes in
            let pixels = UnsafeRawBufferPointer(rebasing: bytes[header.length...])
            return try? Bitmap(
                borrowing: pixels, size: header.size, format: header.format, bytesPerRow: header.bytesPerRow,
                isOpaque: header.isOpaque,
                colorProfile: header.profile.isEmpty ? nil : ColorProfile(icc: header.profile),
                release: { withExtendedLifetime(file) {} })
        }
    }

    private func miss() -> ImageContainer? {
        ledger.withLock { $0.counts.misses += 1 }
        return nil
    }

    func noteUse(_ id: EntryID, _ path: String, _ status: FileStatus, created: Int64, at moment: Int64) {
        ledger.withLock { $0.use(id, status, created: created, at: moment) }
        if status.modified.isOlder(than: limits.useInterval.nanoseconds, at: moment) {
            // Fails in a read-only directory, which remains readable.
            try? fileSystem.touch(path, modified: moment)
        }
    }
}
