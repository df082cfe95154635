import CXattr
import FirnSystem

/// The permissions, owner, access control list and extended attributes of a file, for the file that takes its place.
///
/// Left out is what vouches for the older content or follows from it: setuid, setgid and sticky bits, capabilities,
/// signatures of the kernel, and Firn's own marks.
///
/// - Source: chown(2), xattr(7), acl(5).
struct FileAttributes {
    private static let accessList = "system.posix_acl_access"
    private static let leftOut = [
        "security.capability", "security.ima", "security.evm", "trusted.overlay.", "user.firn.",
    ]

    private let path: String
    private let status: stat

    /// Returns `nil` if the path is not that of a regular file. Links are not followed.
    init?(_ path: String) {
        var status = stat()
        guard path.withSystemPath({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.path = path
        self.status = status
    }

    /// Gives the attributes to a file, which only its owner can open until then.
    ///
    /// - Returns: what the system did not allow, in words, and that the older file has other names.
    func give(to newPath: String) -> [String] {
        let descriptor = newPath.withSystemPath { open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return ["its permissions and its owner are not kept"] }
        defer { close(descriptor) }
        // Order: first the owner, since a change of it resets permissions; last the permissions, which may forbid the
        // rest.
        var new = stat()
        fstat(descriptor, &new)
        let hasOwner = new.st_uid == status.st_uid || fchown(descriptor, status.st_uid, gid_t.max) == 0
        let hasGroup = new.st_gid == status.st_gid || fchown(descriptor, uid_t.max, status.st_gid) == 0
        var lost = (hasOwner ? [] : ["owner"]) + (hasGroup ? [] : ["group"]) + copyNamed(to: descriptor)
        var mode = status.st_mode & 0o777
        // Without its group or its list, the group's permissions would be those of others: at most what everyone has.
        if !hasGroup || lost.contains(FileAttributes.accessList) { mode &= ~0o070 | (mode & 0o007) << 3 }
        if fchmod(descriptor, mode) != 0 { lost.append("permissions") }
        var notes = lost.isEmpty ? [] : ["it could not keep \(lost.joined(separator: ", "))"]
        if status.st_nlink > 1 { notes.append("its other names (hard links) still have the older content") }
        return notes
    }

    /// Copies access control list and extended attributes.
    ///
    /// - Returns: the names of those that could not be copied.
    private func copyNamed(to descriptor: Int32) -> [String] {
        let names = path.withSystemPath { path in FileAttributes.read { llistxattr(path, $0, $1) } } ?? []
        let list = names.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        // The folder may have given a list to the new file.
        if !list.contains(FileAttributes.accessList) { fremovexattr(descriptor, FileAttributes.accessList) }
        return list.filter { name in
            guard !FileAttributes.leftOut.contains(where: { name.hasPrefix($0) }) else { return false }
            let value = path.withSystemPath { path in FileAttributes.read { lgetxattr(path, name, $0, $1) } }
            let present = FileAttributes.read { fgetxattr(descriptor, name, $0, $1) }
            guard let value else { return true }
            return value != present && fsetxattr(descriptor, name, value, value.count, 0) != 0
        }
    }

    /// Returns the bytes of a call that takes a buffer and its length, at most 64 KiB; `nil` if it fails.
    private static func read(_ call: (UnsafeMutablePointer<CChar>?, Int) -> Int) -> [UInt8]? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 16) { room in
            let count = call(room.baseAddress, room.count)
            return count >= 0 ? room.prefix(count).map { UInt8(bitPattern: $0) } : nil
        }
    }
}
