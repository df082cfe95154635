import FirnSystem

/// The file system of the machine.
///
/// Descriptors are closed on `exec`. Calls interrupted by a signal are repeated. New files and directories get the
/// permissions 0666 and 0777, or 0600 and 0700, reduced by the process's `umask`; see ``Access``. Pipes, sockets and
/// devices are refused at once with ``DataFileError/notRegular``.
package struct LocalFileSystem: FileSystem {
    /// The minimum size of files that ``map(_:)`` maps. Smaller files are read, which is faster than creating a
    /// mapping, its page faults, and removing it. Measured with a pass over the bytes: 50 KB 7.9 µs read, 16 µs mapped;
    /// 130 KB 18 and 29 µs; 500 KB 73 and 71 µs; 4 MB 1.2 and 0.6 ms.
    static let minimumMapped = 256 << 10

    /// The permissions of new files and directories. Existing ones keep theirs.
    package enum Access: Hashable, Sendable {
        /// All users whom the process's `umask` does not exclude.
        case standard
        /// The owner only.
        case owner

        var file: mode_t { self == .owner ? 0o600 : 0o666 }
        var directory: mode_t { self == .owner ? 0o700 : 0o777 }
    }

    package let access: Access
    /// True if links at the end of a path are followed. Otherwise opening such a link is an error (`ELOOP`), also for a
    /// directory, and ``status(_:)`` describes the link itself.
    package let followsLinks: Bool

    /// The file system of caches: private to the user, without following links.
    package static let caches = LocalFileSystem(access: .owner, followsLinks: false)

    /// Creates the machine's file system.
    ///
    /// - Parameters:
    ///   - access: the permissions of new files and directories.
    ///   - followsLinks: whether links at the end of a path are followed. Default: yes.
    package init(access: Access = .standard, followsLinks: Bool = true) {
        self.access = access
        self.followsLinks = followsLinks
    }

    var linkFlag: Int32 { followsLinks ? 0 : O_NOFOLLOW }

    package func read(_ path: String, first count: Int) throws(DataFileError) -> Data {
        let file = try OpenFile(path, O_RDONLY | linkFlag)
        defer { file.close() }
        let size = try file.status().size
        return try file.read(expected: size, limit: count).data()
    }

    package func open(_ path: String) throws(DataFileError) -> OpenedFile {
        let file = try OpenFile(path, O_RDONLY | linkFlag)
        do throws(DataFileError) {
            return OpenedFile(path: path, status: try file.status(), descriptor: file.descriptor) {
                (offset, count) throws(DataFileError) in
                try file.read(at: offset, count: count)
            } closing: {
                file.close()
            }
        } catch {
            file.close()
            throw error
        }
    }

    package func load(_ path: String) throws(DataFileError) -> MappedFile {
        let file = try OpenFile(path, O_RDONLY | linkFlag)
        defer { file.close() }
        let status = try file.status()
        return try file.read(expected: status.size, limit: .max).mapped(status)
    }

    /// Returns a whole file: mapped from 256 KiB, read below.
    ///
    /// The mapping is private and writable, so a `Data` over it may be changed like any other.
    package func map(_ path: String) throws(DataFileError) -> MappedFile {
        let file = try OpenFile(path, O_RDONLY | linkFlag)
        defer { file.close() }
        let status = try file.status()
        if status.size >= LocalFileSystem.minimumMapped, let mapped = file.map(status) { return mapped }
        return try file.read(expected: status.size, limit: status.size).mapped(status)
    }

    package func create(_ path: String, _ parts: [Data]) throws(DataFileError) {
        let file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL, mode: access.file)
        var failure: DataFileError?
        do throws(DataFileError) { try file.write(parts) } catch { failure = error }
        // Order: some file systems (NFS) report a full disk only at the close.
        if file.close() != 0, errno != EINTR { failure = failure ?? DataFileError("close", path, code: errno) }
        guard let failure else { return }
        _ = path.withSystemPath { unlink($0) }
        throw failure
    }

    package func rename(_ from: String, to: String) throws(DataFileError) {
        guard to.hasNoZero else { throw DataFileError("rename", to, code: EINVAL) }
        try checked("rename", from) { from in to.withSystemPath { FirnSystem.rename(from, $0) } }
    }

    /// Renames a file if the name is free, checked atomically. A link occupies its name, even without a target.
    ///
    /// - Throws: `DataFileError`, with ``DataFileError/isExisting`` if a file has the name. Both files remain.
    package func rename(_ from: String, toFree to: String) throws(DataFileError) {
        let code = from.withSystemPath { from in to.withSystemPath { link(from, $0) == 0 ? 0 : errno } }
        switch code {
        case 0:
            do throws(DataFileError) {
                try remove(from)
            } catch {
                try? remove(to)
                throw error
            }
        // File systems without hard links. Another file may take the name between the two calls.
        case EPERM, ENOTSUP, ENOSYS:
            if FileKind(to) != .missing { throw DataFileError("link", to, code: EEXIST) }
            try rename(from, to: to)
        default: throw DataFileError("link", to, code: code)
        }
    }

    package func remove(_ path: String) throws(DataFileError) {
        try checked("unlink", path) { unlink($0) }
    }

    package func removeDirectory(_ path: String) throws(DataFileError) {
        try checked("rmdir", path) { rmdir($0) }
    }

    package func createDirectory(_ path: String) throws(DataFileError) {
        do throws(DataFileError) {
            try checked("mkdir", path) { mkdir($0, access.directory) }
        } catch {
            switch error.code {
            case ENOENT:
                let parent = LocalFileSystem.folder(of: path)
                guard parent != path else { throw error }
                try createDirectory(parent)
                // Order: another process may create it between the two calls.
                do throws(DataFileError) {
                    try checked("mkdir", path) { mkdir($0, access.directory) }
                } catch {
                    guard error.isExisting else { throw error }
                }
            case EEXIST:
                guard try status(path).isDirectory else { throw DataFileError("mkdir", path, code: ENOTDIR) }
            default: throw error
            }
        }
    }

    /// Sets the time of last modification. Keeps the time of last access.
    package func touch(_ path: String, modified: Int64) throws(DataFileError) {
        let (seconds, rest) = modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        let borrows = rest < 0
        let times = [
            timespec(tv_sec: 0, tv_nsec: Int((1 << 30) - 2)),  // UTIME_OMIT
            timespec(
                tv_sec: Int(borrows ? seconds - 1 : seconds), tv_nsec: Int(borrows ? rest + 1_000_000_000 : rest)),
        ]
        try checked("utimensat", path) { utimensat(AT_FDCWD, $0, times, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) }
    }

    /// Returns the status of a file or directory. Follows links if the file system does.
    package func status(_ path: String) throws(DataFileError) -> FileStatus {
        var buffer = stat()
        try checked("stat", path) { followsLinks ? stat($0, &buffer) : lstat($0, &buffer) }
        return FileStatus(buffer)
    }

    /// Returns the status of a file or directory without contacting a server. Follows links.
    ///
    /// For a file on a network, returns its last known status. Changes by other machines show after the file system has
    /// refreshed it (NFS: within `acregmax`, a minute by default). Measured: 0.9 µs, the same as ``status(_:)``.
    /// - Source: Linux, fs/stat.c (`vfs_statx`) accepts the flags of statx(2) in newfstatat(2), too.
    package func knownStatus(_ path: String) throws(DataFileError) -> FileStatus {
        // AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, which the module map does not have.
        let flags: Int32 = 0x4000 | 0x800
        var buffer = stat()
        do throws(DataFileError) {
            try checked("stat", path) { fstatat(AT_FDCWD, $0, &buffer, flags) }
        } catch {
            guard error.code == EINVAL, path.hasNoZero else { throw error }
            return try status(path)
        }
        return FileStatus(buffer)
    }

    package func list(_ path: String) throws(DataFileError) -> [String] {
        guard path.hasNoZero else { throw DataFileError("opendir", path, code: EINVAL) }
        guard let directory = path.withSystemPath({ followsLinks ? opendir($0) : LocalFileSystem.openOwn($0) }) else {
            throw DataFileError("opendir", path, code: errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                guard errno == 0 else { throw DataFileError("readdir", path, code: errno) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { SystemPath.text($0.prefix { $0 != 0 }) }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Opens a directory unless it is a link.
    private static func openOwn(_ path: UnsafePointer<CChar>) -> OpaquePointer? {
        let descriptor = FirnSystem.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let directory = fdopendir(descriptor)
        if directory == nil { close(descriptor) }
        return directory
    }

    func checked(_ call: String, _ path: String, _ body: (UnsafePointer<CChar>) -> Int32) throws(DataFileError) {
        // A zero byte would end the path early and reach another file.
        guard path.hasNoZero else { throw DataFileError(call, path, code: EINVAL) }
        while path.withSystemPath(body) != 0 {
            guard errno == EINTR else { throw DataFileError(call, path, code: errno) }
        }
    }

    /// Returns a file in the directory of `path`. On a file system without unnamed files, the file is at `path` until
    /// it gets its name.
    ///
    /// - Source: open(2), `O_TMPFILE`; linkat(2) through `/proc/self/fd`.
    package func makeFile(near path: String) throws(DataFileError) -> any NewFile {
        guard path.hasNoZero else { throw DataFileError("open", path, code: EINVAL) }
        let directory = LocalFileSystem.folder(of: path)
        // O_TMPFILE is 0o20000000 | O_DIRECTORY, which the module map does not have.
        let flags = O_RDWR | O_CLOEXEC | 0o20000000 | O_DIRECTORY | linkFlag
        var descriptor = directory.withSystemPath { FirnSystem.open($0, flags, access.file) }
        if descriptor >= 0, LocalNewFile.isLinkable(descriptor) {
            return LocalNewFile(descriptor, path: path, hasName: false)
        }
        if descriptor >= 0 { FirnSystem.close(descriptor) }
        descriptor = path.withSystemPath {
            FirnSystem.open($0, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, access.file)
        }
        guard descriptor >= 0 else { throw DataFileError("open", path, code: errno) }
        return LocalNewFile(descriptor, path: path, hasName: true)
    }
}

private final class LocalNewFile: NewFile {
    private let descriptor: Int32
    private let path: String
    /// True if the file is at `path` and must be removed from there.
    private var hasName: Bool

    init(_ descriptor: Int32, path: String, hasName: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.hasName = hasName
    }

    deinit {
        close(descriptor)
        if hasName { _ = path.withSystemPath { unlink($0) } }
    }

    /// Returns whether the file can get a name, which needs `/proc`.
    static func isLinkable(_ descriptor: Int32) -> Bool { access("/proc/self/fd/\(descriptor)", F_OK) == 0 }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DataFileError) {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let (place, overflow) = offset.addingReportingOverflow(done)
            guard !overflow, let start = off_t(exactly: place) else { throw DataFileError("write", path, code: EFBIG) }
            let count = pwrite(descriptor, base + done, bytes.count - done, start)
            if count > 0 {
                done += count
            } else if count == 0 {
                throw DataFileError("write", path, code: EIO)
            } else if errno != EINTR {
                throw DataFileError("write", path, code: errno)
            }
        }
    }

    func link(as name: String) throws(DataFileError) {
        guard name.hasNoZero else { throw DataFileError("link", name, code: EINVAL) }
        if hasName, name == path {
            hasName = false
            return
        }
        let result = name.withSystemPath { name in
            if hasName { return path.withSystemPath { FirnSystem.link($0, name) } }
            return linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW)
        }
        guard result == 0 else { throw DataFileError("link", name, code: errno) }
    }
}
