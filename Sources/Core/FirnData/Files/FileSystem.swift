import FirnSystem

/// The system calls of Firn's caches and file loads. A test can make any of them fail.
///
/// All calls block. Paths are the system's. In a name that is not UTF-8, each byte outside a valid character becomes
/// one private scalar: `list(_:)` returns such names, and all calls accept them.
package protocol FileSystem: Sendable {
    /// Reads the first `count` bytes of a file, or fewer if it is shorter, into its own memory. Safe for files that
    /// change during the read.
    func read(_ path: String, first count: Int) throws(DataFileError) -> Data
    /// Opens a file for random access. Safe for files that change while open.
    func open(_ path: String) throws(DataFileError) -> OpenedFile
    /// Reads a whole file into its own memory, with its status. Safe for files that change during the read.
    func load(_ path: String) throws(DataFileError) -> MappedFile
    /// Returns a whole file, mapped if mapping is faster. Only for files that are never truncated in place: accessing a
    /// page that another process truncated would end this process (`SIGBUS`).
    ///
    /// The bytes stay valid if the file is then removed, or replaced through ``rename(_:to:)``.
    func map(_ path: String) throws(DataFileError) -> MappedFile
    /// Writes a new file from `parts`, in order. Fails if the file exists. A failure leaves no file.
    func create(_ path: String, _ parts: [Data]) throws(DataFileError)
    /// Returns a new unnamed file on the file system of `path`, an unused path in an existing directory. The default
    /// holds it in memory.
    func makeFile(near path: String) throws(DataFileError) -> any NewFile
    /// Renames a file within one file system. Replaces an existing file of that name atomically.
    func rename(_ from: String, to: String) throws(DataFileError)
    func remove(_ path: String) throws(DataFileError)
    func removeDirectory(_ path: String) throws(DataFileError)
    /// Creates a directory and its parents. Does nothing if it exists.
    func createDirectory(_ path: String) throws(DataFileError)
    /// Returns the names in a directory except `.` and `..`, in any order.
    func list(_ path: String) throws(DataFileError) -> [String]
    /// Returns the status of a file or directory. Follows links.
    func status(_ path: String) throws(DataFileError) -> FileStatus
    /// Returns the locally known status of a file or directory, without contacting the server of a network file system
    /// and without mounting. Fast enough for a drawing thread. Default: ``status(_:)``.
    func knownStatus(_ path: String) throws(DataFileError) -> FileStatus
    /// Sets the time of last modification, in nanoseconds since 1970.
    func touch(_ path: String, modified: Int64) throws(DataFileError)
    /// Returns a small file that processes change in turns; `nil` if that is not possible.
    ///
    /// Nothing is opened or created before the first turn. The directory must exist by then.
    func sharedRecord(_ path: String) throws(DataFileError) -> (any SharedRecord)?
    /// Checks that no other user can change the content of a directory, and removes anything at `parts` that is not a
    /// directory.
    ///
    /// - Parameters:
    ///   - path: a directory that the user named. It may be a link.
    ///   - parts: the paths of directories in it.
    /// - Returns: the paths of `parts` that were removed.
    /// - Throws: `DataFileError` with ``DataFileError/openToOthers`` or ``DataFileError/ownedByAnother`` and the
    ///   directory at fault, which may be a parent; with `ENOENT` if the directory does not exist and its parents are
    ///   acceptable. The default checks nothing.
    func checkPrivate(_ path: String, parts: [String]) throws(DataFileError) -> [String]
    /// Returns whether the process can create files in a directory. The default returns true.
    func isWritable(_ path: String) -> Bool
    /// Returns the number of bytes that this user may still write on the file system of a path; `nil` if it is unknown.
    func space(_ path: String) throws(DataFileError) -> Int?
}

/// A small file that processes read and change in turns.
///
/// A turn is exclusive among all processes and all records of the file. It ends with ``leave()`` or with the process.
package protocol SharedRecord: Sendable {
    /// Waits for the turn, and creates the file if it is missing. ``leave()`` must follow. Blocks.
    ///
    /// - Throws: `DataFileError`, with `EAGAIN` if another process has held the turn for seconds, for example because
    ///   it is stopped.
    func take() throws(DataFileError)
    func leave()
    /// Returns all bytes. Only during a turn.
    func read() throws(DataFileError) -> Data
    /// Replaces the bytes with the same number of bytes. Only during a turn.
    func write(_ data: Data) throws(DataFileError)
}

extension FileSystem {
    /// Reads a whole file, even one without a length, such as those in `/proc`.
    package func read(_ path: String) throws(DataFileError) -> Data { try read(path, first: .max) }

    package func knownStatus(_ path: String) throws(DataFileError) -> FileStatus { try status(path) }

    package func checkPrivate(_ path: String, parts: [String]) throws(DataFileError) -> [String] { [] }

    package func isWritable(_ path: String) -> Bool { true }

    /// Removes a file, link, pipe, or directory with its content.
    ///
    /// The file system must not follow links: a link in the directory would lead out of it.
    package func removeAny(_ path: String) throws(DataFileError) {
        do throws(DataFileError) {
            try remove(path)
        } catch {
            guard (try? status(path))?.isDirectory == true else { throw error }
            for name in try list(path) { try removeAny("\(path)/\(name)") }
            try removeDirectory(path)
        }
    }

    /// Calls `body` with each regular file in a folder, sorted by name, folder by folder, until it returns `false`.
    /// Skips hidden names, and pipes and devices, since reading one could block forever. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - followsLinks: whether links to folders are followed; each folder is then visited once. Links to files are
    ///     always followed.
    ///   - unreadable: called for each subfolder that cannot be read.
    /// - Returns: whether `body` returned true for all files.
    /// - Throws: `DataFileError` if the folder itself cannot be read.
    @discardableResult
    package func visitFiles(
        in folder: String, isRecursive: Bool, followsLinks: Bool, unreadable: () -> Void = {},
        _ body: (String, FileStatus) -> Bool
    ) throws(DataFileError) -> Bool {
        var seen: Set<[UInt64]> = []
        func visit(_ folder: String) throws(DataFileError) -> Bool {
            guard seen.insert(try status(folder).identity).inserted else { return true }
            for name in try list(folder).sorted() where !name.hasPrefix(".") {
                let path = PathText.join(folder, name)
                guard let status = try? status(path) else {
                    // A link without a target, but no file that was removed meanwhile.
                    if FileKind(path) != .missing { unreadable() }
                    continue
                }
                if status.isDirectory {
                    guard isRecursive, followsLinks || FileKind(path) != .link else { continue }
                    do throws(DataFileError) {
                        if try !visit(path) { return false }
                    } catch {
                        unreadable()
                    }
                } else if status.isRegular, !body(path, status) {
                    return false
                }
            }
            return true
        }
        return try visit(folder)
    }

    /// Returns a file held in memory until it gets its name. For test file systems.
    package func makeFile(near path: String) throws(DataFileError) -> any NewFile { BufferedFile(self) }
}

package struct FileStatus: Hashable, Sendable {
    /// Length in bytes.
    package var size: Int
    /// Time of last modification, in nanoseconds since 1970, at the resolution of the file system, so that two states
    /// compare exactly.
    package var modified: Int64
    /// Time of the last change of content or status, in nanoseconds since 1970. No program can set it.
    package var changed: Int64
    package var inode: UInt64
    package var isDirectory: Bool
    /// True for a regular file: not a directory, pipe, socket or device.
    package var isRegular: Bool
    /// The number of the file system; 0 if it is unknown.
    package var device: UInt64
    /// Equal for all names of the same file.
    package var identity: [UInt64] { [device, inode] }

    /// Creates a status.
    ///
    /// - Parameters:
    ///   - changed: Default: `modified`.
    ///   - isRegular: Default: true unless it is a directory.
    package init(
        size: Int, modified: Int64, changed: Int64? = nil, inode: UInt64, isDirectory: Bool, isRegular: Bool? = nil,
        device: UInt64 = 0
    ) {
        self.changed = changed ?? modified
        self.size = size
        self.modified = modified
        self.inode = inode
        self.isDirectory = isDirectory
        self.isRegular = isRegular ?? !isDirectory
        self.device = device
    }
}

/// A failed call to the file system.
package struct DataFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call, such as `open` or `rename`.
    package let call: String
    /// The path of the call.
    package let path: String
    /// The system's error number, or ``notRegular``.
    package let code: Int32

    /// Creates an error.
    package init(_ call: String, _ path: String, code: Int32) {
        self.call = call
        self.path = path
        self.code = code
    }

    /// `PATH: cannot CALL: REASON`; see ``reason``.
    package var description: String { "\(path): cannot \(call): \(reason)" }

    /// The system's description of the error number, such as `No such file or directory`.
    package var reason: String {
        switch code {
        case DataFileError.notRegular: "it is not a regular file"
        case DataFileError.openToOthers: "other users can write to it"
        case DataFileError.ownedByAnother: "it belongs to another user"
        case DataFileError.notWritable: "it cannot be written to"
        case DataFileError.changed: "the file has changed meanwhile"
        case DataFileError.beingWritten: "another download is writing it"
        case DataFileError.homeless: "neither XDG_CACHE_HOME nor HOME is an absolute path"
        default: String(cString: strerror(code))
        }
    }

    /// The error number for a pipe, socket or device instead of a file. The system has none for this.
    package static let notRegular: Int32 = -1

    /// The error number for a directory that other users can write to.
    package static let openToOthers: Int32 = -2

    /// The error number for a directory of another user.
    package static let ownedByAnother: Int32 = -3

    /// The error number for a directory in which the process cannot create files.
    package static let notWritable: Int32 = -4

    /// The error number for a user without a cache directory.
    package static let homeless: Int32 = -5

    /// The error number for a file that changed while it was being used.
    package static let changed: Int32 = -6

    /// The error number for a file that another download is writing.
    package static let beingWritten: Int32 = -7

    /// The error numbers for which a whole cache folder is refused.
    package static let refusals: Set<Int32> = [openToOthers, ownedByAnother, notWritable, homeless]

    /// True if a whole cache folder is refused: other users can change its content, or it cannot be used.
    package var isRefusal: Bool { DataFileError.refusals.contains(code) }

    /// True if the path is a link, directory, pipe, socket or device instead of a file, for a file system that follows
    /// no links.
    package var isNoFile: Bool { code == DataFileError.notRegular || code == ELOOP || code == EISDIR }

    /// True if the path does not exist.
    package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// True if the path exists already.
    package var isExisting: Bool { code == EEXIST || code == ENOTEMPTY }
}

/// An unnamed file, to which bytes are written in any order. It disappears with its last reference or its process,
/// unless it was given a name.
///
/// Not for concurrent use.
package protocol NewFile: AnyObject {
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DataFileError)

    /// Gives the file a name. Fails if the name is taken; a failure creates no file. Call it once, last.
    func link(as path: String) throws(DataFileError)
}

/// A file held in memory until it gets its name.
private final class BufferedFile: NewFile {
    private let files: any FileSystem
    private var content = Data()

    init(_ files: any FileSystem) { self.files = files }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DataFileError) {
        let (end, overflow) = offset.addingReportingOverflow(bytes.count)
        guard offset >= 0, !overflow else { throw DataFileError("write", "", code: DataFileError.notRegular) }
        if content.count < end { content.append(Data(count: end - content.count)) }
        content.replaceSubrange(offset..<end, with: bytes)
    }

    func link(as path: String) throws(DataFileError) { try files.create(path, [content]) }
}
