import FirnSync
import FirnSystem

extension LocalFileSystem {
    /// Checks that no other user can change the content of a directory.
    ///
    /// The directory and `parts` must belong to the user or to root, and be writable only by their owner. A parent may
    /// be writable for others if it is sticky, like `/tmp`, where they cannot rename files they do not own. A group
    /// with no member but the user counts as the user.
    ///
    /// Does not read access control lists; an entry that allows others to write shows up as group permission.
    /// - Source: OpenSSH, `safe_path_fd` (misc.c); Debian's user-group-modes.patch for the groups.
    package func checkPrivate(_ path: String, parts: [String]) throws(DataFileError) -> [String] {
        guard path.hasNoZero else { throw DataFileError("open", path, code: EINVAL) }
        var folder = path
        var place = PathText.resolved(folder)
        while place == nil {
            let code = errno
            guard code == ENOENT || code == ENOTDIR, folder != "/", folder != "." else {
                throw DataFileError("open", path, code: code)
            }
            folder = LocalFileSystem.folder(of: folder)
            place = PathText.resolved(folder)
        }
        guard var place else { return [] }
        let isThere = folder == path
        try LocalFileSystem.check(place, isParent: !isThere)
        while place != "/" {
            place = LocalFileSystem.folder(of: place)
            try LocalFileSystem.check(place, isParent: true)
        }
        guard isThere else { throw DataFileError("open", path, code: ENOENT) }
        var removed: [String] = []
        for part in parts {
            var buffer = stat()
            guard part.withSystemPath({ lstat($0, &buffer) }) == 0 else { continue }
            if buffer.st_mode & S_IFMT == S_IFDIR {
                try LocalFileSystem.check(buffer, part, isParent: false)
            } else if (try? remove(part)) != nil {
                removed.append(part)
            }
        }
        return removed
    }

    package func isWritable(_ path: String) -> Bool {
        path.withSystemPath { faccessat(AT_FDCWD, $0, W_OK | X_OK, AT_EACCESS) } == 0
    }

    private static func check(_ path: String, isParent: Bool) throws(DataFileError) {
        var buffer = stat()
        guard path.withSystemPath({ stat($0, &buffer) }) == 0 else { throw DataFileError("stat", path, code: errno) }
        try check(buffer, path, isParent: isParent)
    }

    private static func check(_ status: stat, _ path: String, isParent: Bool) throws(DataFileError) {
        let owner = status.st_uid
        // In a container, the machine's root may be unmapped; it then appears as the last user ID.
        let isTrusted = owner == geteuid() || owner == 0 || isParent && owner == 65_534
        guard isTrusted else { throw DataFileError(keeping, path, code: DataFileError.ownedByAnother) }
        if isParent, status.st_mode & S_ISVTX != 0 { return }
        let isOpen =
            status.st_mode & S_IWOTH != 0 || status.st_mode & S_IWGRP != 0 && !isPrivateGroup(status.st_gid)
        if isOpen { throw DataFileError(keeping, path, code: DataFileError.openToOthers) }
    }

    /// The call named in errors.
    private static let keeping = "keep a cache in it"

    /// Returns whether a group has the user's name and no other member.
    private static func isPrivateGroup(_ number: gid_t) -> Bool {
        guard let name = userName(withGroup: number) else { return false }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 16) { room in
            var found = group()
            var entry: UnsafeMutablePointer<group>?
            guard let base = room.baseAddress, getgrgid_r(number, &found, base, room.count, &entry) == 0, entry != nil,
                let text = found.gr_name, String(cString: text) == name
            else { return false }
            var member = found.gr_mem
            while let text = member?.pointee {
                guard String(cString: text) == name else { return false }
                member = member?.successor()
            }
            return true
        }
    }

    /// Returns the name of the user if this is the user's primary group.
    private static func userName(withGroup number: gid_t) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { room in
            var user = passwd()
            var entry: UnsafeMutablePointer<passwd>?
            guard let base = room.baseAddress, getpwuid_r(geteuid(), &user, base, room.count, &entry) == 0,
                entry != nil, user.pw_gid == number, let text = user.pw_name
            else { return nil }
            return String(cString: text)
        }
    }

    /// Returns the directory of a path; `.` if the path is a plain name.
    static func folder(of path: String) -> String {
        var scalars = path.unicodeScalars[...]
        while scalars.count > 1, scalars.last == "/" { scalars.removeLast() }
        guard let slash = scalars.lastIndex(of: "/") else { return "." }
        return slash == scalars.startIndex ? "/" : String(scalars[..<slash])
    }

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
