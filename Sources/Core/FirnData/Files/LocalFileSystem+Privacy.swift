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
}
