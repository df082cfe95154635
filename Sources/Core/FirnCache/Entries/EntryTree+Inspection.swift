extension EntryTree {
    /// The reason given for an obstacle that is not a directory.
    private static let obstacle = "neither a file nor a directory of the cache"

    /// Calls `body` for every file. Skips files removed meanwhile.
    func forEachFile(_ body: (Finding) throws(DataFileError) -> Void) throws(DataFileError) {
        try check()
        for shard in try shards(body) {
            let directory = "\(root)/\(shard)"
            let names: [String]
            do throws(DataFileError) {
                names = try fileSystem.list(directory)
            } catch {
                if let finding = finding(directory, error) { try body(finding) }
                continue
            }
            for name in names { try visit("\(directory)/\(name)", name, in: shard, body) }
        }
    }

    /// Returns the records of all entries, in any order.
    ///
    /// - Parameter header: returns the header of a file; `nil` if it is damaged.
    func records(
        _ header: (String) -> (key: String, bodyBytes: Int, created: Int64)?
    ) throws(DataCachingError) -> [CacheRecord] {
        var records: [CacheRecord] = []
        do throws(DataFileError) {
            try forEachFile { (finding) throws(DataFileError) in
                if case .unreadable(let error) = finding { throw error }
                guard case .entry(_, let path, let status) = finding, let header = header(path) else { return }
                records.append(
                    CacheRecord(
                        key: header.key, path: path, bodyBytes: header.bodyBytes, fileBytes: status.size,
                        created: .nanoseconds(header.created), used: .nanoseconds(status.modified)))
            }
        } catch { throw DataCachingError(error) }
        return records
    }

    private func visit(
        _ path: String, _ name: String, in shard: String, _ body: (Finding) throws(DataFileError) -> Void
    ) throws(DataFileError) {
        let id = EntryID(fileName: name).flatMap { $0.shard == shard ? $0 : nil }
        guard id != nil || TemporaryNames.matches(name) else { return try body(.other(path: path)) }
        let found: FileStatus?
        do throws(DataFileError) {
            found = try statusIfThere(path)
        } catch {
            return try body(.unreadable(error))
        }
        guard let status = found else { return }
        if !status.isRegular {
            try body(.obstacle(path: path, isDirectory: status.isDirectory))
        } else if let id {
            try body(.entry(id, path: path, status))
        } else {
            try body(.temporary(path: path, status))
        }
    }

    /// Returns the names of the entry directories. Calls `body` if a directory above them cannot be read.
    private func shards(_ body: (Finding) throws(DataFileError) -> Void) throws(DataFileError) -> [String] {
        do throws(DataFileError) {
            return try fileSystem.list(root).filter(isShard)
        } catch {
            // The outermost obstacle: anything below it is unreachable.
            for path in above {
                guard let finding = finding(path, error) else { return [] }
                if case .unreadable = finding, path != root { continue }
                try body(finding)
                return []
            }
            return []
        }
    }

    /// Returns why a directory cannot be read; `nil` if it does not exist.
    private func finding(_ directory: String, _ error: DataFileError) -> Finding? {
        do throws(DataFileError) {
            return try fileSystem.status(directory).isDirectory
                ? .unreadable(error) : .obstacle(path: directory, isDirectory: false)
        } catch {
            return error.isMissing ? nil : .unreadable(error)
        }
    }

    /// Checks every file.
    ///
    /// - Parameters:
    ///   - removing: whether damaged entries and leftovers of dead writers are removed.
    ///   - flaw: returns the problem of an entry; `nil` if it is intact or no longer exists.
    ///   - discard: removes a damaged entry.
    func verify(
        removing: Bool, at moment: Int64, flaw: (EntryID, MappedFile) throws(EntryDamage) -> Void,
        discard: (EntryID, FileStatus) -> Void
    ) throws(DataCachingError) -> [CacheProblem] {
        var problems: [CacheProblem] = []
        func report(_ path: String, _ reason: String, _ mayBeGone: Bool) {
            let isRemoved = mayBeGone && (try? fileSystem.status(path)) == nil
            problems.append(CacheProblem(path: path, reason: reason, isRemoved: isRemoved))
        }
        do throws(DataFileError) {
            try check()
            for path in check.takeRemoved() { report(path, EntryTree.obstacle, true) }
            try forEachFile { (finding) throws(DataFileError) in
                switch finding {
                case .entry(let id, let path, let status):
                    guard let found = self.flaw(of: path, id, flaw) else { return }
                    if removing, found.isDamage { discard(id, status) }
                    report(path, found.reason, removing && found.isDamage)
                case .temporary(let path, let status):
                    guard TemporaryNames.isLeftBehind(status, at: moment) else { return }
                    if removing { try? fileSystem.remove(path) }
                    report(path, "left by a writer that died", removing)
                case .obstacle(let path, let isDirectory):
                    if removing { try? fileSystem.removeAny(path) }
                    report(path, isDirectory ? "a directory in place of a file" : EntryTree.obstacle, removing)
                case .unreadable(let error): report(error.path, "cannot \(error.call): \(error.reason)", false)
                case .other(let path):
                    report(path, "not a file of the cache", false)
                }
            }
        } catch { throw DataCachingError(error) }
        return problems
    }

    /// Removes all entries, damaged or not, leftovers of dead writers, and directories that become empty.
    ///
    /// - Throws: the first error. The other files are removed.
    func removeAll(at moment: Int64) throws(DataFileError) {
        var failure: DataFileError?
        try forEachFile { (finding) throws(DataFileError) in
            do throws(DataFileError) {
                switch finding {
                case .entry(_, let path, _): try removeIfThere(path)
                case .temporary(let path, let status):
                    if TemporaryNames.isLeftBehind(status, at: moment) { try removeIfThere(path) }
                case .obstacle(let path, _): try fileSystem.removeAny(path)
                case .unreadable(let error): throw error
                case .other: break
                }
            } catch { failure = failure ?? error }
        }
        for name in (try? fileSystem.list(root)) ?? [] where isShard(name) {
            try? fileSystem.removeDirectory("\(root)/\(name)")
        }
        if let failure { throw failure }
    }

    /// Returns the problem of an entry's file, and whether it is damage. Being unreadable is not.
    private func flaw(
        of path: String, _ id: EntryID, _ prove: (EntryID, MappedFile) throws(EntryDamage) -> Void
    ) -> (reason: String, isDamage: Bool)? {
        do throws(DataFileError) {
            let file = try fileSystem.load(path)
            do throws(EntryDamage) {
                try prove(id, file)
                return nil
            } catch {
                return (error.description, true)
            }
        } catch {
            guard !error.isMissing else { return nil }
            return ("cannot \(error.call): \(error.reason)", false)
        }
    }

    /// Returns whether a name is that of an entry directory.
    private func isShard(_ name: String) -> Bool { name.utf8.count == 1 && UInt8(name, radix: 16) != nil }
}

/// A stored entry of a ``DataCache`` or an image of a ``BitmapStore``, without its body.
package struct CacheRecord: Hashable, Sendable {
    /// The key.
    package var key: String
    /// The path of the file.
    package var path: String
    /// The length of the body in bytes: data, or pixels.
    package var bodyBytes: Int
    /// The length of the file in bytes.
    package var fileBytes: Int
    /// The time when the entry was stored, since 1970.
    package var created: Duration
    /// The time of the last recorded use, since 1970; see ``DataCacheLimits/useInterval``.
    package var used: Duration
}

/// A file in a cache's directory that is not an intact entry.
package struct CacheProblem: Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    package var path: String
    /// The problem in a few words.
    package var reason: String
    /// True if the file was removed.
    package var isRemoved: Bool

    /// `PATH: reason`.
    package var description: String { "\(path): \(reason)" }
}
