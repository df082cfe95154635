import FirnData
package import FirnImage
import FirnSync
import FoundationEssentials

extension BitmapStore {
    /// What the store holds and did. Reads the directory if that was not done yet.
    package func statistics() throws(BitmapStoringError) -> BitmapStoreStatistics {
        do throws(FileError) {
            return try gate.withLock { (gate: inout Gate) throws(FileError) in
                try readDirectory(&gate, isDue: false)
                return ledger.withLock {
                    BitmapStoreStatistics(
                        count: $0.index.count, bytes: $0.index.bytes, hits: $0.hits, misses: $0.misses,
                        stores: $0.stores,
                        evictions: $0.evictions, damaged: $0.damaged)
                }
            }
        } catch { throw BitmapStoringError(error) }
    }

    /// Reads the records of all images from the disk, in no order. Images without a whole header are left out;
    /// ``verify(removing:)`` reports them.
    package func records() throws(BitmapStoringError) -> [BitmapStoreRecord] {
        var records: [BitmapStoreRecord] = []
        do throws(FileError) {
            try tree.forEachFile { (finding) throws(FileError) in
                guard case .entry(_, let path, let status) = finding, let file = try? fileSystem.map(path),
                    let header = try? file.withUnsafeBytes({ try BitmapFormat.decode($0) })
                else { return }
                records.append(
                    BitmapStoreRecord(
                        key: header.key, path: path, size: header.size, fileBytes: status.size,
                        created: .nanoseconds(header.created), used: .nanoseconds(status.modified)))
            }
        } catch { throw BitmapStoringError(error) }
        return records
    }

    /// Removes the images that `isUnwanted` says.
    ///
    /// - Returns: how many those were.
    @discardableResult
    package func removeAll(where isUnwanted: (BitmapStoreRecord) -> Bool) throws(BitmapStoringError) -> Int {
        let unwanted = try records().filter(isUnwanted)
        for record in unwanted { try remove(ImageCacheKey(record.key)) }
        return unwanted.count
    }

    /// Reads and proves every image, pixels included.
    ///
    /// - Parameter removing: whether damaged images and the remains of ended writers are removed. Foreign files, by their names,
    ///   and files that cannot be read are only reported.
    /// - Returns: what is wrong; nothing where all is well.
    package func verify(removing: Bool = false) throws(BitmapStoringError) -> [CacheProblem] {
        do throws(FileError) {
            return try tree.verify(
                removing: removing, at: now().nanoseconds,
                flaw: { (id, file) throws(EntryDamage) in
                    try file.withUnsafeBytes { (bytes) throws(EntryDamage) in
                        let header = try BitmapFormat.decode(bytes)
                        guard EntryID(key: header.key) == id else { throw .misplaced }
                        let body = UnsafeRawBufferPointer(rebasing: bytes[header.length...])
                        guard XXH64.hash(body) == header.bodyHash else { throw .body }
                    }
                }, discard: { discard($0, $1, counting: true) })
        } catch { throw BitmapStoringError(error) }
    }

    /// Removes every image, also those that cannot be read, and the directories that are then empty. Foreign files
    /// stay.
    ///
    /// - Throws: ``/FirnImage/BitmapStoringError`` of the first file that cannot be removed; the others are removed all the same.
    package func removeAll() throws(BitmapStoringError) {
        let failure = gate.withLock { gate -> FileError? in
            var failure: FileError?
            do throws(FileError) { try tree.removeAll(at: now().nanoseconds) } catch { failure = error }
            try? fileSystem.removeDirectory(root)
            ledger.withLock {
                $0.index = DiskIndex()
                $0.isIndexed = false
            }
            gate = Gate()
            return failure
        }
        if let failure { throw BitmapStoringError(failure) }
    }

    /// Makes the index, if there is none yet or a new look at the directory is due. Sweeps what dead writers left.
    func readDirectory(_ gate: inout Gate, isDue: Bool) throws(FileError) {
        guard isDue || !gate.isRead else { return }
        // Order: the time of storing is in the header, which is not read here; an age is then limited by the last use.
        let files = try DiskIndex.scan(tree, at: now().nanoseconds, created: { _ in nil })
        ledger.withLock {
            $0.index = DiskIndex(files, known: $0.index)
            $0.isIndexed = true
        }
        gate = Gate(isRead: true)
    }

}
