import FirnData
import FirnSync

/// The files of a cache: one directory for each first digit of their names, with one file for each entry. Other files
/// are never changed.
///
/// Links are not followed at the names that the cache makes. What stands there instead of a file or a directory is
/// damage: an obstacle.
///
/// It handles names, times and operations that all caches share. The caches handle the content of the files.
struct EntryTree: Sendable {
    /// A file below the directory.
    enum Finding {
        case entry(EntryID, path: String, FileStatus)
        case temporary(path: String, FileStatus)
        /// A link, a directory, a pipe or a socket at the name of an entry, or of a file that is being written; or what
        /// is no directory at the name of one.
        case obstacle(path: String, isDirectory: Bool)
        /// A directory or a file that the system refuses to read.
        case unreadable(DataFileError)
        case other(path: String)
    }

    /// The directory of the entries in this format.
    let root: String
    /// Checks that other users cannot write to the cache's folder.
    let check: FolderCheck
    /// The directories that the cache makes above those of entries, the outermost first.
    let above: [String]
    private let rootBytes: [UInt8]
    let fileSystem: any FileSystem

    /// - Parameters:
    ///   - folder: the directory that the user named.
    ///   - names: the names of the directories that the cache makes in it, one in the other.
    ///   - isShared: whether other users may write to the folder.
    ///   - isOptional: whether the folder is given up if it cannot be written to.
    init(
        folder: String, names: [String], isShared: Bool = false, isOptional: Bool = false, fileSystem: any FileSystem
    ) {
        var above: [String] = []
        for name in names { above.append("\(above.last ?? folder)/\(name)") }
        let root = above.last ?? folder
        self.above = above
        self.root = root
        self.fileSystem = fileSystem
        let shards = (0..<16).map { "\(root)/\(String($0, radix: 16))" }
        check = FolderCheck(
            folder, parts: above + shards, isShared: isShared, isOptional: isOptional,
            fileSystem: fileSystem)
        rootBytes = Array("\(root)/".utf8)
    }

    /// Returns the path of an entry's file.
    func path(of id: EntryID) -> String { id.path(below: rootBytes) }

    /// Returns the directory of an entry's file.
    func shard(of id: EntryID) -> String { root + "/" + id.shard }

    /// Creates the directory of an entry's file. Removes obstacles.
    func makeShard(of id: EntryID) throws(DataFileError) {
        let shard = shard(of: id)
        // Order: before it is created, which follows links above it.
        for path in above + [shard] {
            guard let status = try? fileSystem.status(path) else { break }
            if status.isDirectory { continue }
            try fileSystem.removeAny(path)
            break
        }
        try fileSystem.createDirectory(shard)
    }

    /// Gives a complete file its final name. Removes a directory there, which is damage.
    func rename(_ temporary: String, to id: EntryID) throws(DataFileError) {
        let path = path(of: id)
        do throws(DataFileError) {
            try fileSystem.rename(temporary, to: path)
        } catch {
            guard (try? fileSystem.status(path))?.isDirectory == true else { throw error }
            try fileSystem.removeAny(path)
            try fileSystem.rename(temporary, to: path)
        }
    }

    /// Removes what stands at the name of an entry and is no file.
    ///
    /// - Returns: whether there was something, which is now gone.
    func removeObstacle(at id: EntryID) -> Bool {
        let path = path(of: id)
        guard (try? fileSystem.status(path))?.isRegular == false else { return false }
        return (try? fileSystem.removeAny(path)) != nil
    }

    /// Removes a file, if it exists.
    func removeIfThere(_ path: String) throws(DataFileError) {
        do throws(DataFileError) {
            try fileSystem.remove(path)
        } catch {
            guard error.isMissing else { throw error }
        }
    }

    /// Returns the status of a file; `nil` if it does not exist.
    func statusIfThere(_ path: String) throws(DataFileError) -> FileStatus? {
        do throws(DataFileError) {
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
        return min(most, Int(saturating: Double(space.free.saturatingAdd(held)) * share))
    }
}

extension Int64 {
    /// Returns whether this time is more than `age` before `moment`. All are nanoseconds.
    func isOlder(than age: Int64, at moment: Int64) -> Bool {
        moment.subtractingReportingOverflow(self).partialValue > age
    }

    /// Returns whether an entry that was created at this time has an age above `age`, or an unknown one, since it was
    /// created while the clock was ahead.
    func isExpired(after age: Int64, at moment: Int64) -> Bool {
        isOlder(than: age, at: moment) || isFromFuture(at: moment)
    }
}
