import CXattr
import FirnSystem

/// The permissions, owner, access control list and extended attributes of a file, to copy to its replacement.
///
/// Omits attributes that vouch for the old content or derive from it: setuid, setgid and sticky bits, capabilities,
/// kernel signatures, and Firn's own marks.
///
/// - Source: chown(2), xattr(7), acl(5).
struct FileAttributes {
    private static let accessList = "system.posix_acl_access"
    private static let leftOut = [
        "security.capability", "security.ima", "security.evm", "trusted.overlay.", "user.firn.",
    ]

    private let path: String
    private let status: stat

    /// Returns `nil` unless the path is a regular file. Links are not followed.
    init?(_ path: String) {
        var status = stat()
        guard path.withSystemPath({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.path = path
        self.status = status
    }

    /// Applies the attributes to a file that only its owner can open until then.
    ///
    /// - Returns: the attributes that the system refused, in words, and a note if the old file has other names.
    func give(to newPath: String) -> [String] {
        let descriptor = newPath.withSystemPath { open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return ["its permissions and its owner are not kept"] }
        defer { close(descriptor) }
        // Order: the owner first, since changing it resets permissions; the permissions last, since they may forbid the
        // rest.
        var new = stat()
        fstat(descriptor, &new)
        let hasOwner = new.st_uid == status.st_uid || fchown(descriptor, status.st_uid, gid_t.max) == 0
        let hasGroup = new.st_gid == status.st_gid || fchown(descriptor, uid_t.max, status.st_gid) == 0
        var lost = (hasOwner ? [] : ["owner"]) + (hasGroup ? [] : ["group"]) + copyNamed(to: descriptor)
        var mode = status.st_mode & 0o777
        // Without its group or list, the group bits would apply to the wrong users: reduce them to everyone's.
        if !hasGroup || lost.contains(FileAttributes.accessList) { mode &= ~0o070 | (mode & 0o007) << 3 }
        if fchmod(descriptor, mode) != 0 { lost.append("permissions") }
        var notes = lost.isEmpty ? [] : ["it could not keep \(lost.joined(separator: ", "))"]
        if status.st_nlink > 1 { notes.append("its other names (hard links) still have the older content") }
        return notes
    }

    /// Copies the access control list and extended attributes.
    ///
    /// - Returns: the names of the attributes that could not be copied.
    private func copyNamed(to descriptor: Int32) -> [String] {
        let names = path.withSystemPath { path in FileAttributes.read { llistxattr(path, $0, $1) } } ?? []
        let list = names.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        // The new file may have inherited a list from its folder.
        if !list.contains(FileAttributes.accessList) { fremovexattr(descriptor, FileAttributes.accessList) }
        return list.filter { name in
            guard !FileAttributes.leftOut.contains(where: { name.hasPrefix($0) }) else { return false }
            let value = path.withSystemPath { path in FileAttributes.read { lgetxattr(path, name, $0, $1) } }
            let present = FileAttributes.read { fgetxattr(descriptor, name, $0, $1) }
            guard let value else { return true }
            return value != present && fsetxattr(descriptor, name, value, value.count, 0) != 0
        }
    }

    /// Returns the result of a call that takes a buffer and its length, at most 64 KiB; `nil` if it fails.
    private static func read(_ call: (UnsafeMutablePointer<CChar>?, Int) -> Int) -> [UInt8]? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 16) { room in
            let count = call(room.baseAddress, room.count)
            return count >= 0 ? room.prefix(count).map { UInt8(bitPattern: $0) } : nil
        }
    }
}
