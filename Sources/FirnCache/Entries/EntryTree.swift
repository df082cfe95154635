import FirnData

/// The files of a cache: one directory for each first digit of their names, with one file for each entry. Other files
/// are never changed.
///
/// It handles names, times and operations that all caches share. The caches handle the content of the files.
struct EntryTree: Sendable {
    /// A file below the directory.
    enum Finding {
        case entry(EntryID, path: String, FileStatus)
        case temporary(path: String, FileStatus)
        case other(path: String)
    }

    /// The problem of an entry's file, and whether it is damage. An unreadable file is not damage.
    struct Flaw {
        let reason: String
        let isDamage: Bool
    }

    let root: String
    private let rootBytes: [UInt8]
    private let fileSystem: any FileSystem

    init(root: String, fileSystem: any FileSystem) {
        self.root = root
        self.fileSystem = fileSystem
        rootBytes = Array("\(root)/".utf8)
    }

    /// Returns the path of an entry's file.
    func path(of id: EntryID) -> String { id.path(below: rootBytes) }

    /// Returns the directory of an entry's file.
    func shard(of id: EntryID) -> String { root + "/" + id.shard }

    /// Calls `body` for every file. Skips files that are removed during the call.
    func forEachFile(_ body: (Finding) throws(FileError) -> Void) throws(FileError) {
        for shard in try listing(root) where isShard(shard) {
            let directory = "\(root)/\(shard)"
            for name in try listing(directory) {
                let path = "\(directory)/\(name)"
                if let id = EntryID(fileName: name), id.shard == shard {
                    if let status = try statusIfThere(path) { try body(.entry(id, path: path, status)) }
                } else if TemporaryNames.matches(name) {
                    if let status = try statusIfThere(path) { try body(.temporary(path: path, status)) }
                } else {
                    try body(.other(path: path))
                }
            }
        }
    }

    /// Checks every file.
    ///
    /// - Parameters:
    ///   - removing: whether damaged entries and the leftovers of dead writers are removed.
    ///   - flaw: returns the problem of an entry; `nil` if it is intact or no longer exists.
    ///   - discard: removes a damaged entry.
    func verify(
        removing: Bool, at moment: Int64, flaw: (EntryID, MappedFile) throws(EntryDamage) -> Void,
        discard: (EntryID, FileStatus) -> Void
    ) throws(FileError) -> [CacheProblem] {
        var problems: [CacheProblem] = []
        func report(_ path: String, _ reason: String, _ mayBeGone: Bool) {
            let isRemoved = mayBeGone && (try? fileSystem.status(path)) == nil
            problems.append(CacheProblem(path: path, reason: reason, isRemoved: isRemoved))
        }
        try forEachFile { (finding) throws(FileError) in
            switch finding {
            case .entry(let id, let path, let status):
                guard let found = self.flaw(of: path, id, flaw) else { return }
                if removing, found.isDamage { discard(id, status) }
                report(path, found.reason, removing && found.isDamage)
            case .temporary(let path, let status):
                guard TemporaryNames.isLeftBehind(status, at: moment) else { return }
                if removing { try? fileSystem.remove(path) }
                report(path, "left by a writer that died", removing)
            case .other(let path):
                report(path, "not a file of the cache", false)
            }
        }
        return problems
    }

    /// Removes all entries, the leftovers of dead writers, and the directories that become empty.
    ///
    /// - Throws: the first error. The other files are removed.
    func removeAll(at moment: Int64) throws(FileError) {
        var failure: FileError?
        try forEachFile { (finding) throws(FileError) in
            do throws(FileError) {
                switch finding {
                case .entry(_, let path, _): try removeIfThere(path)
                case .temporary(let path, let status):
                    if TemporaryNames.isLeftBehind(status, at: moment) { try removeIfThere(path) }
                case .other: break
                }
            } catch { failure = failure ?? error }
        }
        for name in try listing(root) where isShard(name) { try? fileSystem.removeDirectory("\(root)/\(name)") }
        if let failure { throw failure }
    }

    /// Removes a file, if it exists.
    func removeIfThere(_ path: String) throws(FileError) {
        do throws(FileError) {
            try fileSystem.remove(path)
        } catch {
            guard error.isMissing else { throw error }
        }
    }

    /// Returns the status of a file; `nil` if it does not exist.
    func statusIfThere(_ path: String) throws(FileError) -> FileStatus? {
        do throws(FileError) {
            return try fileSystem.status(path)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// Returns the limit of the bytes of all files: `most`, or less if the disk is nearly full.
    ///
    /// - Parameters:
    ///   - share: the maximum share of the free space; `nil` for no limit.
    ///   - held: the bytes of all files, which count as free.
    func byteLimit(_ most: Int, freeSpaceShare share: Double?, held: Int) -> Int {
        guard let share, let space = try? fileSystem.space(root) else { return most }
        let (sum, overflow) = space.free.addingReportingOverflow(held)
        return min(most, Int(Double(overflow ? Int.max / 2 : sum) * share))
    }

    private func flaw(
        of path: String, _ id: EntryID, _ prove: (EntryID, MappedFile) throws(EntryDamage) -> Void
    ) -> Flaw? {
        do throws(FileError) {
            let file = try fileSystem.load(path)
            do throws(EntryDamage) {
                try prove(id, file)
                return nil
            } catch {
                return Flaw(reason: error.description, isDamage: true)
            }
        } catch {
            guard !error.isMissing else { return nil }
            return Flaw(reason: "cannot \(error.call): \(error.reason)", isDamage: false)
        }
    }

    /// Returns the names in a directory; none if it does not exist.
    private func listing(_ path: String) throws(FileError) -> [String] {
        do throws(FileError) {
            return try fileSystem.list(path)
        } catch {
            guard error.isMissing else { throw error }
            return []
        }
    }

    /// Whether a name is that of a directory with entries.
    private func isShard(_ name: String) -> Bool { name.utf8.count == 1 && UInt8(name, radix: 16) != nil }
}
