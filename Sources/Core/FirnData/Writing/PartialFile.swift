import FirnSystem

/// The first bytes of a file that is being downloaded, in `.NAME.firn-part` beside the file.
///
/// `.NAME.firn-resume` has a record of the caller, from which the rest can be requested. Bytes with a record stay when
/// this object is released and when the process is killed; others are removed. Not for concurrent use. A lock excludes
/// other downloads to the same file, of all processes.
package final class PartialFile {
    /// The path in errors.
    private let name: String
    private let target: String
    private let path: String
    private let recordPath: String
    private let descriptor: Int32
    private var isFinished = false
    /// The number of bytes so far.
    package private(set) var count: Int
    /// From what the rest of the bytes can be requested; `nil` if that is not possible.
    package private(set) var record: Data?

    /// Opens the bytes of an earlier download, or a new file. Follows links.
    ///
    /// - Throws: `DataFileError`, with ``DataFileError/beingWritten`` during another download to this file.
    package init(for name: String) throws(DataFileError) {
        guard name.hasNoZero, case .file(let target) = try OutputPlace(name) else {
            throw DataFileError("write", name, code: DataFileError.notRegular)
        }
        let (folder, last) = PathText.split(target)
        guard !last.isEmpty, FileKind(target) != .folder else { throw DataFileError("write", name, code: EISDIR) }
        // A name may have 255 bytes.
        let stem = last.utf8.count <= 200 ? last : OutputFile.start(of: last) + String(XXH64.hash(last), radix: 16)
        (self.name, self.target) = (name, target)
        path = "\(folder).\(stem).firn-part"
        recordPath = "\(folder).\(stem).firn-resume"
        // A replacement gets the permissions of the older file when it is complete.
        let mode: mode_t = FileKind(target) == .file ? 0o600 : 0o666
        (descriptor, count) = try PartialFile.open(path, mode, named: name)
        lseek(descriptor, 0, SEEK_END)
        var status = stat()
        if count > 0, recordPath.withSystemPath({ lstat($0, &status) }) == 0, PartialFile.isOwn(status) {
            record = try? LocalFileSystem(followsLinks: false).read(recordPath, first: 1 << 16)
        }
    }

    deinit {
        // Order: the record first. Without the bytes, another process may be making both anew.
        if !isFinished, record == nil || count == 0 { for path in [recordPath, path] { PartialFile.remove(path) } }
        // A child process that is starting has a copy of the descriptor, which would keep the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Returns a locked descriptor, and the number of bytes. A file that another user may have put there is removed.
    private static func open(
        _ path: String, _ mode: mode_t, named name: String
    ) throws(DataFileError) -> (Int32, Int) {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        // Another process may replace the file between two attempts.
        for _ in 0..<100 {
            var descriptor = path.withSystemPath { FirnSystem.open($0, flags) }
            let isNew = descriptor < 0 && errno == ENOENT
            if isNew { descriptor = path.withSystemPath { FirnSystem.open($0, flags | O_CREAT | O_EXCL, mode) } }
            guard descriptor >= 0 else {
                let code = errno
                if [EINTR, EEXIST].contains(code) || [ELOOP, EACCES].contains(code) && remove(path) { continue }
                throw DataFileError("write", name, code: code)
            }
            // If the file system has no locks, other downloads are not excluded.
            if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                close(descriptor)
                throw DataFileError("write", name, code: DataFileError.beingWritten)
            }
            var (own, present) = (stat(), stat())
            fstat(descriptor, &own)
            let isThere = path.withSystemPath { lstat($0, &present) } == 0 && own.st_ino == present.st_ino
            if isThere, isNew || isOwn(own) { return (descriptor, isNew ? 0 : Int(own.st_size)) }
            close(descriptor)
            if isThere { remove(path) }
        }
        throw DataFileError("write", name, code: EEXIST)
    }

    /// Returns whether only this user can have written a file.
    private static func isOwn(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid() && status.st_nlink == 1
    }

    @discardableResult
    private static func remove(_ path: String) -> Bool { path.withSystemPath { unlink($0) } == 0 }

    /// Removes all bytes, and sets the record of the following ones.
    ///
    /// Order: the bytes first, since a process that is killed in between must not leave them with another record.
    package func restart(record: Data?) throws(DataFileError) {
        try truncate(to: 0)
        PartialFile.remove(recordPath)
        self.record = record
        guard let record else { return }
        // Without a record the bytes do not stay, but the download goes on.
        do { try LocalFileSystem(access: .owner).create(recordPath, [record]) } catch { self.record = nil }
    }

    /// Removes the bytes from an offset.
    package func truncate(to length: Int) throws(DataFileError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw DataFileError("write", name, code: errno) }
        lseek(descriptor, off_t(length), SEEK_SET)
        count = length
    }

    /// Appends bytes. After an error the file may have a part of them.
    package func append(_ data: Data) throws(DataFileError) {
        if let code = StreamOutput.write(data, to: descriptor) { throw DataFileError("write", name, code: code) }
        count += data.count
    }

    /// Reads bytes from an offset: fewer at the end, none behind it.
    package func read(from offset: Int, atMost limit: Int) throws(DataFileError) -> Data {
        var data = Data(count: max(0, min(limit, count - offset)))
        let read = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard read >= 0 else { throw DataFileError("read", name, code: errno) }
        data.count = read
        return data
    }

    /// Replaces the target, which keeps its permissions, owner and attributes as far as the system allows.
    ///
    /// - Throws: `DataFileError`. The older file, or none, then remains, and so do the bytes.
    package func finish() throws(DataFileError) {
        // Some file systems (NFS) report a full disk only at a close. The lock stays with the descriptor.
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy >= 0, close(copy) != 0, errno != EINTR { throw DataFileError("write", name, code: errno) }
        _ = FileAttributes(target)?.give(to: path)
        // Order: the record first. Once the name is free, another process may make both anew.
        PartialFile.remove(recordPath)
        try LocalFileSystem().rename(path, to: target)
        isFinished = true
    }
}
