import FirnSync

/// The files of a cache: one directory for each first digit of the file names, with one file for each entry. Never
/// changes other files.
///
/// Links are not followed at names that the cache creates. Anything there but the expected file or directory is damage:
/// an obstacle.
///
/// Handles names, times and operations common to all caches. The caches handle the content of the files.
struct EntryTree: Sendable {
    /// A file below the directory.
    enum Finding {
        case entry(EntryID, path: String, FileStatus)
        case temporary(path: String, FileStatus)
        /// A link, directory, pipe or socket at the name of an entry or temporary file; or anything but a directory at
        /// the name of one.
        case obstacle(path: String, isDirectory: Bool)
        /// A directory or a file that the system refuses to read.
        case unreadable(DataFileError)
        case other(path: String)
    }

    /// The directory of the entries in this format.
    let root: String
    /// Checks that other users cannot write to the cache's folder.
    let check: FolderCheck
    /// The directories that the cache creates above the entry directories, outermost first.
    let above: [String]
    private let rootBytes: [UInt8]
    let fileSystem: any FileSystem

    /// - Parameters:
    ///   - folder: the directory that the user named.
    ///   - names: the names of the nested directories that the cache creates in it.
    ///   - isShared: whether other users may write to the folder.
    ///   - isOptional: whether a folder that is not writable disables the cache.
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
        // Order: before the directory is created, since that follows links above it.
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

    /// Removes anything but a file at the name of an entry.
    ///
    /// - Returns: whether something was removed.
    func removeObstacle(at id: EntryID) -> Bool {
        let path = path(of: id)
        guard (try? fileSystem.status(path))?.isRegular == false else { return false }
        return (try? fileSystem.removeAny(path)) != nil
    }

    /// Removes a file if it exists.
    func removeIfThere(_ path: String) throws(DataFileError) {
        _ = try ifThere { () throws(DataFileError) in try fileSystem.remove(path) }
    }

    /// Returns the status of a file; `nil` if it does not exist.
    func statusIfThere(_ path: String) throws(DataFileError) -> FileStatus? {
        try ifThere { () throws(DataFileError) in try fileSystem.status(path) }
    }

    /// Returns the result of a call; `nil` if its path does not exist.
    func ifThere<Result>(_ call: () throws(DataFileError) -> Result) throws(DataFileError) -> Result? {
        do throws(DataFileError) {
            return try call()
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    /// Returns the byte limit of all files: `most`, or less if the disk is nearly full.
    ///
    /// - Parameters:
    ///   - share: the maximum share of the free space; `nil` for no limit.
    ///   - held: the bytes of all files, which count as free.
    func byteLimit(_ most: Int, freeSpaceShare share: Double?, held: Int) -> Int {
        guard let share, let free = try? fileSystem.space(root) else { return most }
        return min(most, Int(saturating: Double(free.saturatingAdd(held)) * share))
    }
}

extension Int64 {
    /// Returns whether this time is more than `age` before `moment`, all in nanoseconds.
    func isOlder(than age: Int64, at moment: Int64) -> Bool {
        moment.subtractingReportingOverflow(self).partialValue > age
    }

    /// Returns whether an entry created at this time is older than `age`, or has an unknown age because it was created
    /// while the clock was ahead.
    func isExpired(after age: Int64, at moment: Int64) -> Bool {
        isOlder(than: age, at: moment) || isFromFuture(at: moment)
    }
}
