#if GTK
import CGTK4
import Firn
import FirnSystem

/// Moves files to the desktop's trash and back.
///
/// Source: the freedesktop.org trash specification 1.0. A file of the home folder's device goes to the home trash; any
/// other goes to `.Trash/UID` or `.Trash-UID` at the top of its device, since moving it would copy it.
struct Trash: Sendable {
    /// A file in the trash.
    struct Entry: Sendable {
        /// The path from which it was moved.
        let original: String
        fileprivate let stored: String
        fileprivate let info: String
    }

    /// A file that could not be moved.
    struct Fault: Error, CustomStringConvertible {
        let path: String
        let reason: String
        var description: String { "\(path): \(reason)" }
    }

    /// The folder of the home trash.
    private let home: String
    private let user: uid_t

    /// - Parameter data: the folder of the user's data, `$XDG_DATA_HOME`.
    init(data: String = g_get_user_data_dir().map { String(cString: $0) } ?? "", user: uid_t = getuid()) {
        home = PathText.join(data, "Trash")
        self.user = user
    }

    /// Moves a file to the trash.
    ///
    /// - Throws: ``Fault``; the file stays where it is.
    func move(_ path: String, at time: Int64 = LocalTime.seconds(Int64(FirnSystem.time(nil)))) throws(Fault) -> Entry {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Trash.fault(path) }
        let (trash, top) = try folder(for: path, device: status.st_dev)
        for part in ["files", "info"] {
            guard Trash.make(PathText.join(trash, part)) else { throw Trash.fault(path) }
        }
        let name = PathText.split(path).name
        let recorded = top.map { String(path.dropFirst(PathText.join($0, "").count)) } ?? path
        // The path is percent-encoded.
        let escaped = GLibText.string(owning: g_uri_escape_string(recorded, "/", 0)) ?? ""
        let date = GLibText.string(owning: g_date_time_new_from_unix_utc(gint64(time)), "%Y-%m-%dT%H:%M:%S") ?? ""
        let text = "[Trash Info]\nPath=\(escaped)\nDeletionDate=\(date)\n"
        for number in 1...10_000 {
            let free = number == 1 ? name : "\(name).\(number)"
            let info = PathText.join(trash, "info/\(free).trashinfo")
            let stored = PathText.join(trash, "files/\(free)")
            // Order: the record reserves the name, so that no two programs use the same one.
            let descriptor = open(info, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { throw Trash.fault(path) }
            let bytes = Array(text.utf8)
            let isWritten = write(descriptor, bytes, bytes.count) == bytes.count
            guard close(descriptor) == 0, isWritten else {
                unlink(info)
                throw Trash.fault(path)
            }
            var existing = stat()
            if lstat(stored, &existing) == 0 {
                unlink(info)
                continue
            }
            guard rename(path, stored) == 0 else {
                let fault = Trash.fault(path)
                unlink(info)
                throw fault
            }
            return Entry(original: path, stored: stored, info: info)
        }
        throw Fault(path: path, reason: "the trash has too many files of this name")
    }

    /// Moves a file back to its original path. Never replaces an existing file.
    ///
    /// - Throws: ``Fault``; the file stays in the trash.
    func restore(_ entry: Entry) throws(Fault) {
        // A link fails if the name exists; a rename would replace the file.
        if link(entry.stored, entry.original) == 0 {
            unlink(entry.stored)
        } else {
            let isUnsupported = errno == EPERM || errno == ENOTSUP
            var existing = stat()
            guard isUnsupported, lstat(entry.original, &existing) != 0 else { throw Trash.fault(entry.original) }
            guard rename(entry.stored, entry.original) == 0 else { throw Trash.fault(entry.original) }
        }
        unlink(entry.info)
    }

    // MARK: Folders

    /// Returns the trash for a file, and the folder to which its recorded path is relative; `nil` for the root.
    private func folder(for path: String, device: dev_t) throws(Fault) -> (trash: String, top: String?) {
        var status = stat()
        _ = Trash.make(home)
        if stat(home, &status) == 0, status.st_dev == device { return (home, nil) }
        var top = PathText.parent(path)
        while top != "/" {
            let parent = PathText.parent(top)
            guard stat(parent, &status) == 0, status.st_dev == device, parent != top else { break }
            top = parent
        }
        // The shared trash is used only if other users cannot remove or replace its contents.
        let shared = PathText.join(top, ".Trash")
        if lstat(shared, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_mode & S_ISVTX != 0 {
            let own = PathText.join(shared, String(user))
            if Trash.make(own), isOwn(own) { return (own, top) }
        }
        let own = PathText.join(top, ".Trash-\(user)")
        guard Trash.make(own), isOwn(own) else { throw Fault(path: path, reason: "its device has no trash") }
        return (own, top)
    }

    private func isOwn(_ folder: String) -> Bool {
        var status = stat()
        return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == user
    }

    /// Creates a private folder and its parents, unless it exists.
    private static func make(_ folder: String) -> Bool { g_mkdir_with_parents(folder, 0o700) == 0 }

    private static func fault(_ path: String) -> Fault {
        Fault(path: path, reason: String(cString: strerror(errno)))
    }
}
#endif
