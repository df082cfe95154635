import FirnData
public import FirnImage
import FirnSync
import FoundationEssentials

extension BitmapStore {
    /// A file below the store's directory.
    private enum Finding {
        case picture(EntryID, path: String, FileStatus)
        case temporary(path: String, FileStatus)
        case other(path: String)
    }

    /// What the store holds and did. Reads the directory if that was not done yet.
    public func statistics() throws(BitmapStoringError) -> BitmapStoreStatistics {
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

    /// Every picture, in no order, read from the disk. Those without a whole header are left out; ``verify(removing:)`` tells them.
    public func records() throws(BitmapStoringError) -> [BitmapStoreRecord] {
        var records: [BitmapStoreRecord] = []
        do throws(FileError) {
            try forEachFile { (finding) throws(FileError) in
                guard case .picture(_, let path, let status) = finding, let file = try? fileSystem.map(path),
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

    /// Reads and proves every picture, pixels included.
    ///
    /// - Parameter removing: whether damaged pictures and what dead writers left are removed. Files that are not the store's, by
    ///   their names, and those that cannot be read are only told.
    /// - Returns: what is wrong; nothing where all is well.
    public func verify(removing: Bool = false) throws(BitmapStoringError) -> [BitmapStoreProblem] {
        var problems: [BitmapStoreProblem] = []
        let moment = now().nanoseconds
        do throws(FileError) {
            try forEachFile { (finding) throws(FileError) in
                switch finding {
                case .picture(let id, let path, let status):
                    guard let (reason, isDamage) = flaw(id, path) else { return }
                    if removing, isDamage { discard(id, status, counting: true) }
                    problems.append(problem(path, reason))
                case .temporary(let path, let status):
                    guard isLeftBehind(status, at: moment) else { return }
                    if removing { try? fileSystem.remove(path) }
                    problems.append(problem(path, "left by a writer that died"))
                case .other(let path): problems.append(problem(path, "not a file of the store"))
                }
            }
        } catch { throw BitmapStoringError(error) }
        return problems
    }

    /// Removes every picture, also those that cannot be read, and the directories that are then empty. Files that are not the
    /// store's stay.
    ///
    /// - Throws: ``/FirnImage/BitmapStoringError`` of the first file that cannot be removed; the others are removed all the same.
    public func removeAll() throws(BitmapStoringError) {
        let failure = gate.withLock { gate -> FileError? in
            var failure: FileError?
            do throws(FileError) {
                let moment = now().nanoseconds
                try forEachFile { (finding) throws(FileError) in
                    do throws(FileError) {
                        switch finding {
                        case .picture(_, let path, _): try removeIfThere(path)
                        case .temporary(let path, let status):
                            if isLeftBehind(status, at: moment) { try removeIfThere(path) }
                        case .other: break
                        }
                    } catch { failure = failure ?? error }
                }
                for name in try listing(root) { try? fileSystem.removeDirectory("\(root)/\(name)") }
                try? fileSystem.removeDirectory(root)
            } catch { failure = failure ?? error }
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
        var files: [DiskIndex.File] = []
        let moment = now().nanoseconds
        try forEachFile { (finding) throws(FileError) in
            switch finding {
            case .picture(let id, _, let status):
                // Order: the time of storing is in the header, which is not read here; an age is then limited by the last use.
                files.append(.init(id: id, size: status.size, used: status.modified, created: status.modified))
            case .temporary(let path, let status):
                if isLeftBehind(status, at: moment) { try? fileSystem.remove(path) }
            case .other: break
            }
        }
        ledger.withLock {
            $0.index = DiskIndex(files, known: $0.index)
            $0.isIndexed = true
        }
        gate = Gate(isRead: true)
    }

    // MARK: Files

    private func forEachFile(_ body: (Finding) throws(FileError) -> Void) throws(FileError) {
        for shard in try listing(root) where shard.utf8.count == 1 && UInt8(shard, radix: 16) != nil {
            for name in try listing("\(root)/\(shard)") {
                let path = "\(root)/\(shard)/\(name)"
                if let id = EntryID(fileName: name), id.shard == shard {
                    if let status = try statusIfThere(path) { try body(.picture(id, path: path, status)) }
                } else if TemporaryNames.matches(name) {
                    if let status = try statusIfThere(path) { try body(.temporary(path: path, status)) }
                } else {
                    try body(.other(path: path))
                }
            }
        }
    }

    private func listing(_ path: String) throws(FileError) -> [String] {
        do throws(FileError) {
            return try fileSystem.list(path)
        } catch {
            guard error.isMissing else { throw error }
            return []
        }
    }

    private func statusIfThere(_ path: String) throws(FileError) -> FileStatus? {
        do throws(FileError) {
            return try fileSystem.status(path)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    private func isLeftBehind(_ status: FileStatus, at moment: Int64) -> Bool {
        moment.subtractingReportingOverflow(status.modified).partialValue > TemporaryNames.leftBehind
    }

    private func problem(_ path: String, _ reason: String) -> BitmapStoreProblem {
        BitmapStoreProblem(path: path, reason: reason, isRemoved: (try? fileSystem.status(path)) == nil)
    }

    /// What is wrong with a picture's file, and whether that is damage; `nil` if nothing is, or it is gone.
    private func flaw(_ id: EntryID, _ path: String) -> (reason: String, isDamage: Bool)? {
        do throws(FileError) {
            let file = try fileSystem.map(path)
            do throws(EntryDamage) {
                try file.withUnsafeBytes { (bytes) throws(EntryDamage) in
                    let header = try BitmapFormat.decode(bytes)
                    guard EntryID(key: header.key) == id else { throw .misplaced }
                    guard XXH64.hash(UnsafeRawBufferPointer(rebasing: bytes[header.length...])) == header.bodyHash
                    else {
                        throw .body
                    }
                }
                return nil
            } catch {
                return (error.description, true)
            }
        } catch {
            return error.isMissing ? nil : ("cannot \(error.call): \(error.reason)", false)
        }
    }
}
