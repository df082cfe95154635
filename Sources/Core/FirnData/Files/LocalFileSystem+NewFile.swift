import FirnSystem

extension LocalFileSystem {
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
