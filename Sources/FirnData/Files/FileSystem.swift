package import FoundationEssentials

/// The few calls to the operating system that Firn's caches and file loads make, so that a test can make any of them fail.
///
/// All calls block. Paths are as the system takes them. Of a name that is not UTF-8, each byte that belongs to no character is one
/// private scalar: `list(_:)` returns such names so, and all calls accept them.
package protocol FileSystem: Sendable {
    /// A whole file, copied into memory of its own. Safe for files that others change while they are read.
    func read(_ path: String) throws(FileError) -> Data
    /// The first `count` bytes of a file, fewer if it is shorter.
    func read(_ path: String, first count: Int) throws(FileError) -> Data
    /// A file to be read here and there. Safe for files that others change while they are read.
    func open(_ path: String) throws(FileError) -> OpenedFile
    /// A whole file, copied into memory of its own, with its status. Safe for files that others change while they are read.
    /// By default ``status(_:)`` and ``read(_:)``.
    func load(_ path: String) throws(FileError) -> MappedFile
    /// A whole file, not copied where mapping pays. Only for files that nobody ever shortens in place:
    /// touching a page that another process cut off would end this one (`SIGBUS`).
    ///
    /// The bytes stay valid if the file is then removed or replaced by another through ``rename(_:to:)``.
    func map(_ path: String) throws(FileError) -> MappedFile
    /// Writes a new file of `parts`, one after the other; fails if there is one. What is left behind by a failure is removed.
    func create(_ path: String, _ parts: [Data]) throws(FileError)
    /// Forces a file's content to the medium.
    func synchronize(_ path: String) throws(FileError)
    /// Gives a file another name in the same file system, in place of one that has it, in one step.
    func rename(_ from: String, to: String) throws(FileError)
    /// Removes a file.
    func remove(_ path: String) throws(FileError)
    /// Removes an empty directory.
    func removeDirectory(_ path: String) throws(FileError)
    /// Makes a directory and those above it; does nothing if it is there.
    func createDirectory(_ path: String) throws(FileError)
    /// Names in a directory, without `.` and `..`, in no order.
    func list(_ path: String) throws(FileError) -> [String]
    /// What the system knows of a file or directory; links are followed.
    func status(_ path: String) throws(FileError) -> FileStatus
    /// What the system knows of a file or directory without asking anybody else: not the server of a network file system,
    /// nor one that would have to be mounted first. Quick enough for a thread that draws. By default ``status(_:)``.
    func knownStatus(_ path: String) throws(FileError) -> FileStatus
    /// Sets the time of last modification, in nanoseconds since 1970.
    func touch(_ path: String, modified: Int64) throws(FileError)
    /// A small file that processes change in turns; `nil`, the default, where that cannot be.
    ///
    /// Nothing is opened or made before the first turn; its directory must be there then.
    func sharedRecord(_ path: String) throws(FileError) -> SharedRecord?
    /// How full the file system of a path is; `nil`, the default, where nobody knows.
    func space(_ path: String) throws(FileError) -> DiskSpace?
}

extension FileSystem {
    /// What ``status(_:)`` says.
    package func knownStatus(_ path: String) throws(FileError) -> FileStatus { try status(path) }

    /// What ``read(_:)`` gives, with what ``status(_:)`` said before.
    package func load(_ path: String) throws(FileError) -> MappedFile {
        let status = try status(path)
        return MappedFile(copying: try read(path), status: status)
    }

    /// None.
    package func sharedRecord(_ path: String) throws(FileError) -> SharedRecord? { nil }

    /// Unknown.
    package func space(_ path: String) throws(FileError) -> DiskSpace? { nil }
}

/// What the system knows of a file.
package struct FileStatus: Hashable, Sendable {
    /// Length in bytes.
    package var size: Int
    /// Time of last modification, in nanoseconds since 1970.
    package var modified: Int64
    /// Number of the file in its file system.
    package var inode: UInt64
    /// Whether it is a directory.
    package var isDirectory: Bool
    /// Number of the file system it lies in; 0 where nobody knows.
    package var device: UInt64

    /// A status.
    package init(size: Int, modified: Int64, inode: UInt64, isDirectory: Bool, device: UInt64 = 0) {
        self.size = size
        self.modified = modified
        self.inode = inode
        self.isDirectory = isDirectory
        self.device = device
    }
}

/// A call to the file system that failed.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call, as in `open` or `rename`.
    public let call: String
    /// The path it was made with.
    public let path: String
    /// The system's error number, or ``notRegular``.
    public let code: Int32

    /// Creates an error.
    public init(_ call: String, _ path: String, code: Int32) {
        self.call = call
        self.path = path
        self.code = code
    }

    /// `PATH: cannot CALL: what the system says`.
    public var description: String { "\(path): cannot \(call): \(reason)" }
}
