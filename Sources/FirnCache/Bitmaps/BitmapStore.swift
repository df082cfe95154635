package import FirnData
package import FirnImage
import FirnSync
import FoundationEssentials

/// Decoded images on the disk, one file each, shown from where they lie: a hit maps a file and decodes, copies and allocates
/// nothing of its pixels.
///
/// A hit checks the header's checksum, the whole key and the file's length, and that takes as long for every size. The pixels have a
/// checksum too, which only ``verify(removing:)`` looks at: what could be wrong with them is what the disk itself did not notice,
/// and that is seen as a wrong image, never as a crash. Files come by a rename and are never changed, so a file under
/// its name is whole; one that was torn by a power failure has the wrong length, on file systems that note a file's length after
/// its bytes.
///
/// Invariant: files are replaced by rename and removed, never shortened nor written to; a mapping stays valid through both. Who
/// else shortens one ends every process that shows it (`SIGBUS`): the directory is the store's own. Where that is not certain,
/// ``BitmapStoreLimits/isMapped`` is to be `false`.
/// Invariant: before a file is named into place, the limits hold with it, as far as this process knows the directory. It looks
/// again each time it has stored a quarter of a limit, so *n* processes never hold more than 1 + *n*/4 of it.
/// Order: `gate` before `ledger`; a lookup of a whole image takes only `ledger`.
package final class BitmapStore: BitmapStoring {
    /// What this process did and knows. Held for moments only.
    struct Ledger {
        var index = DiskIndex()
        /// Whether the directory was read.
        var isIndexed = false
        var hits = 0
        var misses = 0
        var stores = 0
        var evictions = 0
        var damaged = 0
    }

    /// What is known of the directory.
    struct Gate {
        var isRead = false
        /// Bytes stored since it was read.
        var drift = 0
    }

    /// The directory, which may hold other things besides, as a data cache's files.
    package let directory: String
    /// What the store may hold.
    package let limits: BitmapStoreLimits

    let root: String
    let tree: EntryTree
    let fileSystem: any FileSystem
    let now: @Sendable () -> Duration
    /// Held over calls to the disk, so that files and index change together. Only those who store wait for it.
    let gate = Locked(Gate())
    let ledger = Locked(Ledger())
    let temporaries = TemporaryNames()

    /// A store in a directory, which is made when the first image is stored. Does not touch the disk.
    ///
    /// - Parameters:
    ///   - fileSystem: makes and reads the files. Default: the machine's, where the user alone may use what is made (0700 and
    ///     0600); a directory that exists keeps its permissions.
    ///   - now: time since 1970. By default the system's clock.
    package init(
        directory: String, limits: BitmapStoreLimits = BitmapStoreLimits(),
        fileSystem: any FileSystem = LocalFileSystem(access: .owner), now: (@Sendable () -> Duration)? = nil
    ) {
        self.directory = directory
        self.limits = limits
        self.fileSystem = fileSystem
        self.now = now ?? { .sinceEpoch() }
        root = "\(directory)/bitmaps-v\(BitmapFormat.version)"
        tree = EntryTree(root: root, fileSystem: fileSystem)
    }

    /// The image of a key, over its mapped file.
    ///
    /// - Returns: `nil` if there is none, if it was torn, damaged, foreign or too old, and is now removed, or if the system did not
    ///   let it be read.
    /// - Complexity: O(1): open, map, 4 KiB of checksum. The kernel reads the pixels as they are touched.
    package func image(for key: ImageCacheKey) -> ImageContainer? {
        let id = EntryID(key: key.string)
        let path = path(of: id)
        guard let file = try? open(path) else { return miss() }
        let header: BitmapHeader
        do throws(EntryDamage) {
            header = try file.withUnsafeBytes { (bytes) throws(EntryDamage) in try BitmapFormat.decode(bytes) }
            guard header.key == key.string || EntryID(key: header.key) == id else { throw .misplaced }
        } catch {
            discard(id, file.status, counting: true)
            return miss()
        }
        guard header.key == key.string else { return miss() }
        let moment = now().nanoseconds
        if let age = limits.age, moment.subtractingReportingOverflow(header.created).partialValue > age.nanoseconds {
            discard(id, file.status, counting: false)
            return miss()
        }
        guard let image = BitmapStore.bitmap(file, header) else { return miss() }
        noteUse(id, path, file.status, header, at: moment)
        var container = ImageContainer(
            image: image, format: header.source.isEmpty ? nil : ImageFormat(rawValue: header.source),
            originalSize: header.originalSize, sourceVersion: header.version)
        container.freshNanoseconds = header.freshUntil
        return container
    }

    /// Removes the image of a key, if there is one.
    package func remove(_ key: ImageCacheKey) throws(BitmapStoringError) {
        let id = EntryID(key: key.string)
        do throws(FileError) {
            try gate.withLock { (_) throws(FileError) in
                try tree.removeIfThere(path(of: id))
                ledger.withLock { $0.index.remove(id) }
            }
        } catch { throw BitmapStoringError(error) }
    }

    func path(of id: EntryID) -> String { tree.path(of: id) }

    func open(_ path: String) throws(FileError) -> MappedFile {
        if limits.isMapped { return try fileSystem.map(path) }
        return try fileSystem.load(path)
    }

    /// Removes a file that was read and found useless; another one that has come in its place meanwhile stays.
    func discard(_ id: EntryID, _ status: FileStatus, counting isDamaged: Bool) {
        gate.withLock { _ in
            let path = path(of: id)
            guard let present = try? fileSystem.status(path), present.inode == status.inode,
                (try? fileSystem.remove(path)) != nil
            else { return }
            ledger.withLock {
                $0.index.remove(id)
                if isDamaged { $0.damaged += 1 }
            }
        }
    }

    /// The image over a file's bytes, which live as long as it does.
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
        ledger.withLock { $0.misses += 1 }
        return nil
    }

    private func noteUse(_ id: EntryID, _ path: String, _ status: FileStatus, _ header: BitmapHeader, at moment: Int64)
    {
        ledger.withLock {
            $0.hits += 1
            $0.index.use(
                .init(id: id, size: status.size, used: moment, created: header.created),
                isPartial: !$0.isIndexed)
        }
        if moment.subtractingReportingOverflow(status.modified).partialValue > limits.useInterval.nanoseconds {
            // A directory that may only be read is still one to read from.
            try? fileSystem.touch(path, modified: moment)
        }
    }
}

extension BitmapStoringError {
    init(_ error: FileError) { self.init(error.description, code: error.code) }
}
