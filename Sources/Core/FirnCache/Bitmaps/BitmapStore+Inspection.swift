import FirnImage
import FirnSync

extension BitmapStore {
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
        do throws(DataFileError) {
            return try tree.records { path in
                guard let file = try? fileSystem.map(path) else { return nil }
                return try? file.withUnsafeBytes { try BitmapStore.check($0, withPixels: false) }
            }
        } catch { throw DataCachingError(error) }
    }

    /// Removes the images for which `isUnwanted` returns true.
    ///
    /// - Returns: the number of removed images.
    @discardableResult
    package func removeAll(where isUnwanted: (CacheRecord) -> Bool) throws(DataCachingError) -> Int {
        let unwanted = try records().filter(isUnwanted)
        for record in unwanted { try remove(ImageCacheKey(record.key)) }
        return unwanted.count
    }

    /// Removes the images and pyramids whose keys `isUnwanted` accepts.
    package func removeImages(where isUnwanted: (String) -> Bool) throws(DataCachingError) {
        try removeAll { isUnwanted($0.key) }
    }

    /// Reads and checks every image including its pixels.
    ///
    /// - Parameter removing: whether damaged images and the leftovers of dead writers are removed. Files with foreign
    ///   names, and unreadable files, are only reported.
    /// - Returns: the problems found.
    package func verify(removing: Bool = false) throws(DataCachingError) -> [CacheProblem] {
        do throws(DataFileError) {
            return try tree.verify(
                removing: removing, at: now().nanoseconds,
                flaw: { (id, file) throws(EntryDamage) in
                    try file.withUnsafeBytes { (bytes) throws(EntryDamage) in
                        let found = try BitmapStore.check(bytes, withPixels: true)
                        guard EntryID(key: found.key) == id else { throw .misplaced }
                    }
                }, discard: { discard($0, $1, counting: true) })
        } catch { throw DataCachingError(error) }
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
