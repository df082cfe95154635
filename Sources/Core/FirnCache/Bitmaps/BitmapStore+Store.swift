package import FirnImage
import FirnSync
import FirnSystem

extension BitmapStore {
    /// Maximum number of failed removals before making room fails.
    private static let maximumStuck = 8
    private static let maximumTries = 3

    /// Stores an image and replaces an older one with the same key. Evicts least recently used images to make room.
    ///
    /// Does not store previews, images with their file's bytes (animations), images with PQ or HLG values, or images
    /// above ``BitmapStoreLimits/entryBytes``. Does not flush to the medium.
    package func store(_ container: ImageContainer, for key: ImageCacheKey) throws(DataCachingError) {
        let image = container.image
        guard !container.isPreview, container.data == nil, !container.isAnimated, image.light.dynamicRange == nil,
            image.cost <= limits.entryBytes
        else { return }
        let moment = now().nanoseconds
        let id = EntryID(key: key.string)
        do throws(DataFileError) {
            for attempt in 1... {
                do throws(DataFileError) {
                    try tree.check()
                    let temporary = temporaries.next(in: tree.shard(of: id))
                    let size = try create(temporary, container, key.string, at: moment)
                    return try publish(temporary, as: id, size: size, at: moment)
                } catch {
                    if error.isMissing || error.isNoFile, attempt < BitmapStore.maximumTries {
                        try tree.makeShard(of: id)
                    } else if error.code == ENOSPC, attempt < BitmapStore.maximumTries,
                        reclaim(image.cost + BitmapFormat.page) > 0
                    {
                        continue
                    } else {
                        throw error
                    }
                }
            }
        } catch { throw DataCachingError(error) }
    }

    /// Evicts least recently used images until this many bytes are free, to make room for more valuable files such as
    /// originals.
    ///
    /// - Returns: the number of bytes freed.
    @discardableResult
    package func reclaim(_ bytes: Int) -> Int {
        gate.withLock { gate in
            try? readDirectory(&gate, isDue: false)
            var freed = 0
            var stuck = 0
            while freed < bytes, stuck < BitmapStore.maximumStuck,
                let victim = ledger.withLock({ ledger in
                    ledger.index.leastRecent(except: EntryID(high: 0, low: 0)).map {
                        ($0, ledger.index.size(of: $0) ?? 0)
                    }
                })
            {
                if evict(victim.0) { freed += victim.1 } else { stuck += 1 }
            }
            return freed
        }
    }

    /// Makes room for a complete file and gives it its final name. A failure removes the file.
    func publish(_ temporary: String, as id: EntryID, size: Int, at moment: Int64) throws(DataFileError) {
        do throws(DataFileError) {
            try gate.withLock { (gate: inout Gate) throws(DataFileError) in
                try readDirectory(&gate, isDue: gate.drift > limits.bytes / 4)
                let file = DiskIndex.File(id: id, size: size, used: moment, created: moment)
                try makeRoom(for: file)
                try tree.rename(temporary, to: id)
                gate.drift += size
                ledger.withLock {
                    $0.counts.stores += 1
                    $0.index.insert(file)
                }
            }
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
    }

    /// Makes room for a file that is about to be written.
    func prepareRoom(for id: EntryID, size: Int, at moment: Int64) throws(DataFileError) {
        try gate.withLock { (gate: inout Gate) throws(DataFileError) in
            try readDirectory(&gate, isDue: gate.drift > limits.bytes / 4)
            try makeRoom(for: DiskIndex.File(id: id, size: size, used: moment, created: moment))
        }
    }

    /// Writes a file and returns its length.
    private func create(
        _ path: String, _ container: ImageContainer, _ key: String, at moment: Int64
    ) throws(DataFileError) -> Int {
        let image = container.image
        var header = BitmapHeader(
            key: key, size: image.size, format: image.format, bytesPerRow: image.bytesPerRow, isOpaque: image.isOpaque,
            profile: image.colorProfile?.icc ?? Data(), source: container.format?.rawValue ?? "",
            originalSize: container.originalSize, vectorSize: container.vectorSize, version: container.sourceVersion,
            created: moment, freshUntil: container.freshNanoseconds, bodyHash: 0)
        let body = BitmapStore.body(of: image)
        header.bodyHash = body.withUnsafeBytes { XXH64.hash($0) }
        guard let head = BitmapFormat.encode(header) else { throw DataFileError("store", path, code: ENAMETOOLONG) }
        defer { withExtendedLifetime(image) {} }
        try fileSystem.create(path, [head, body])
        return head.count + body.count
    }

    /// Returns the bytes of an image without a copy if its rows have no padding.
    ///
    /// Padding is uninitialized process memory and must not reach the disk.
    private static func body(of image: Bitmap) -> Data {
        let used = image.size.width * image.format.bytesPerPixel
        return image.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return Data() }
            guard used < image.bytesPerRow else {
                // Safety: the caller retains the image while it uses the data.
                return Data(
                    bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: bytes.count, deallocator: .none)
            }
            var copy = Data(count: bytes.count)
            copy.withUnsafeMutableBytes { copy in
                guard let target = copy.baseAddress else { return }
                for row in 0..<image.size.height {
                    target.advanced(by: row * image.bytesPerRow)
                        .copyMemory(from: base + row * image.bytesPerRow, byteCount: used)
                }
            }
            return copy
        }
    }

    // MARK: Space

    /// Removes images until `file` may be renamed to its final name.
    private func makeRoom(for file: DiskIndex.File) throws(DataFileError) {
        let held = ledger.withLock { $0.index.bytes }
        let limit = tree.byteLimit(limits.bytes, freeSpaceShare: limits.freeSpaceShare, held: held)
        guard file.size <= limit else { throw DataFileError("make room", tree.root, code: ENOSPC) }
        var stuck = 0
        while let victim = ledger.withLock({ victim(for: file, limit, &$0.index) }) {
            if evict(victim) { continue }
            stuck += 1
            guard stuck < BitmapStore.maximumStuck else { throw DataFileError("make room", tree.root, code: EACCES) }
            ledger.withLock { $0.index.skip(victim, renewedAt: file.used) }
        }
    }

    private func victim(for file: DiskIndex.File, _ limit: Int, _ index: inout DiskIndex) -> EntryID? {
        if let age = limits.age?.nanoseconds, let oldest = index.oldest, oldest.id != file.id,
            oldest.created.isOlder(than: age, at: file.used)
        {
            return oldest.id
        }
        let others = index.bytes - (index.size(of: file.id) ?? 0)
        return others > limit - file.size ? index.leastRecent(except: file.id) : nil
    }

    /// Removes a file. Returns true if it no longer exists.
    private func evict(_ id: EntryID) -> Bool {
        guard (try? tree.removeIfThere(tree.path(of: id))) != nil else { return false }
        ledger.withLock {
            $0.index.remove(id)
            $0.counts.evictions += 1
        }
        return true
    }

    // MARK: Inspection

    /// Returns the size of the store and the counts of this process. Reads the directory if needed.
    package func statistics() throws(DataCachingError) -> CacheStatistics {
        do throws(DataFileError) {
            return try gate.withLock { (gate: inout Gate) throws(DataFileError) in
                try readDirectory(&gate, isDue: false)
                return ledger.withLock { $0.statistics(DataCacheTotals()) }
            }
        } catch { throw DataCachingError(error) }
    }

    /// Reads the records of all images from the disk, in any order. Skips images without an intact header;
    /// ``verify(removing:)`` reports them.
    package func records() throws(DataCachingError) -> [CacheRecord] {
        try tree.records { path in
            guard let file = try? fileSystem.map(path) else { return nil }
            return try? file.withUnsafeBytes { try BitmapStore.check($0, withPixels: false) }
        }
    }

    /// Removes the images and pyramids for which `isUnwanted` returns true.
    ///
    /// - Returns: the number of removed images.
    @discardableResult
    package func removeAll(where isUnwanted: (CacheRecord) -> Bool) throws(DataCachingError) -> Int {
        let unwanted = try records().filter(isUnwanted)
        for record in unwanted { try remove(ImageCacheKey(record.key)) }
        return unwanted.count
    }

    /// Reads and checks every image including its pixels.
    ///
    /// - Parameter removing: whether damaged images and the leftovers of dead writers are removed. Files with foreign
    ///   names, and unreadable files, are only reported.
    /// - Returns: the problems found.
    package func verify(removing: Bool = false) throws(DataCachingError) -> [CacheProblem] {
        try tree.verify(
            removing: removing, at: now().nanoseconds,
            flaw: { (id, file) throws(EntryDamage) in
                try file.withUnsafeBytes { (bytes) throws(EntryDamage) in
                    let found = try BitmapStore.check(bytes, withPixels: true)
                    guard EntryID(key: found.key) == id else { throw .misplaced }
                }
            }, discard: { discard($0, $1, counting: true) })
    }

    /// Removes all images, including unreadable ones, and directories that become empty. Foreign files stay.
    ///
    /// - Throws: ``/FirnData/DataCachingError`` of the first file that cannot be removed. The others are removed.
    package func removeAll() throws(DataCachingError) {
        do throws(DataFileError) {
            try gate.withLock { (gate: inout Gate) throws(DataFileError) in
                defer {
                    ledger.withLock { ($0.index, $0.isIndexed) = (DiskIndex(), false) }
                    gate = Gate()
                }
                try tree.removeAll(at: now().nanoseconds)
                try? fileSystem.removeDirectory(tree.root)
            }
        } catch { throw DataCachingError(error) }
    }

    /// Creates the index if there is none or the directory must be read again. Removes files of dead writers.
    func readDirectory(_ gate: inout Gate, isDue: Bool) throws(DataFileError) {
        guard isDue || !gate.isRead else { return }
        // Order: the creation time is in the header, which is not read here. The age then counts from the last use.
        let files = try DiskIndex.scan(tree, at: now().nanoseconds, created: { _ in nil })
        ledger.withLock {
            $0.index = DiskIndex(files, known: $0.index)
            $0.isIndexed = true
        }
        gate = Gate(isRead: true)
    }
}
