import FirnSync
import FirnSystem

extension LocalFileSystem {
    /// Returns a file that processes change in turns, locked with `flock`: the lock belongs to the open file and ends
    /// with its process.
    ///
    /// A file system that follows no links replaces anything at the path that is not a regular file. It also replaces a
    /// file with a second name, since writing would change the file under that name.
    package func sharedRecord(_ path: String) throws(DataFileError) -> (any SharedRecord)? {
        RecordFile(path, self)
    }

    package func space(_ path: String) throws(DataFileError) -> Int? {
        var buffer = statvfs()
        try checked("statvfs", path) { statvfs($0, &buffer) }
        let block = buffer.f_frsize == 0 ? buffer.f_bsize : buffer.f_frsize
        return Int(clamping: UInt(buffer.f_bavail).saturatingMultiply(UInt(block)))
    }
}

/// The descriptor of a shared record, opened at the first turn.
private final class RecordFile: SharedRecord {
    private let path: String
    private let files: LocalFileSystem
    private let descriptor = Locked<Int32>(-1)
    /// Maximum wait for a turn, in microseconds.
    private static let patience = 5_000_000
    private static let capacity = 4096

    /// Maximum number of attempts to open the file; another process may replace it between two attempts.
    private static let maximumTries = 100

    init(_ path: String, _ files: LocalFileSystem) {
        self.path = path
        self.files = files
    }

    deinit { descriptor.withLock { if $0 >= 0 { close($0) } } }

    func take() throws(DataFileError) {
        try descriptor.withLock { (descriptor) throws(DataFileError) in
            for _ in 0..<RecordFile.maximumTries {
                if descriptor < 0 { descriptor = try open() }
                try lock(descriptor)
                // The file may have been removed: a lock on it then does not exclude later processes.
                var status = stat()
                if fstat(descriptor, &status) == 0, status.st_nlink == 1 || status.st_nlink > 1 && files.followsLinks {
                    return
                }
                if status.st_nlink > 1 { try? files.remove(path) }
                close(descriptor)
                descriptor = -1
            }
            throw DataFileError("open", path, code: EAGAIN)
        }
    }

    private func open() throws(DataFileError) -> Int32 {
        let flags = O_RDWR | O_CREAT | files.linkFlag
        if !files.followsLinks { try checkDirectory() }
        do throws(DataFileError) {
            return try OpenFile(path, flags, mode: files.access.file).descriptor
        } catch {
            guard error.isNoFile, !files.followsLinks else { throw error }
            try files.removeAny(path)
            return try OpenFile(path, flags, mode: files.access.file).descriptor
        }
    }

    /// - Throws: `DataFileError`, with `ENOTDIR` if the directory is a link: the file would be created elsewhere.
    private func checkDirectory() throws(DataFileError) {
        let kind = FileKind(LocalFileSystem.folder(of: path))
        // Opening the file reports a missing directory.
        guard kind == .folder || kind == .missing else { throw DataFileError("open", path, code: ENOTDIR) }
    }

    private func lock(_ descriptor: Int32) throws(DataFileError) {
        var waited = 0
        var pause = 20
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK, waited < RecordFile.patience else {
                throw DataFileError("flock", path, code: errno)
            }
            usleep(UInt32(pause))
            waited += pause
            pause = min(pause * 2, 1_000)
        }
    }

    func leave() { descriptor.withLock { _ = flock($0, LOCK_UN) } }

    func read() throws(DataFileError) -> Data {
        try descriptor.withLock { (descriptor) throws(DataFileError) in
            // Its closure cannot throw typed errors before Swift 6.3.
            let (data, code) = withUnsafeTemporaryAllocation(byteCount: RecordFile.capacity, alignment: 8) { buffer in
                let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
                return count < 0 ? (Data(), errno) : (Data(buffer.prefix(count)), 0)
            }
            guard code == 0 else { throw DataFileError("read", path, code: code) }
            return data
        }
    }

    func write(_ data: Data) throws(DataFileError) {
        try descriptor.withLock { (descriptor) throws(DataFileError) in
            let count = data.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
            guard count == data.count else { throw DataFileError("write", path, code: count < 0 ? errno : ENOSPC) }
        }
    }
}
