#if GTK
import CGTK4
import Firn
import FirnSystem

/// Moves files to the trash that file managers show, and back.
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
    /// - Throws: `DataFileError`; the file stays where it is.
    func move(_ path: String, at time: Int64 = LocalTime.seconds(Int64(FirnSystem.time(nil)))) throws(DataFileError)
        -> Entry
    {
        var status = stat()
        guard path.withSystemPath({ lstat($0, &status) }) == 0 else { throw DataFileError("trash", path, code: errno) }
        let (trash, top) = try folder(for: path, device: status.st_dev)
        for part in ["files", "info"] where !Trash.make(PathText.join(trash, part)) {
            throw DataFileError("trash", path, code: errno)
        }
        let name = PathText.split(path).name
        let recorded = SystemPath.bytes(path).dropFirst(top.map { SystemPath.bytes(PathText.join($0, "")).count } ?? 0)
        let escaped = PercentEncoding.encoded(recorded, keeping: "/")
        let date =
            GLibText.string(freeing: g_date_time_new_from_unix_utc(gint64(time)), format: "%Y-%m-%dT%H:%M:%S") ?? ""
        let text = "[Trash Info]\nPath=\(escaped)\nDeletionDate=\(date)\n"
        for number in 1...10_000 {
            let free = Trash.name(name, number)
            let info = PathText.join(trash, "info/\(free).trashinfo")
            let stored = PathText.join(trash, "files/\(free)")
            // Order: the record reserves the name, so that two programs never use the same one.
            do throws(DataFileError) {
                try LocalFileSystem(access: .owner).create(info, [Data(text.utf8)])
            } catch {
                if error.isExisting { continue }
                throw error
            }
            do throws(DataFileError) {
                try LocalFileSystem().rename(path, toFree: stored)
                return Entry(original: path, stored: stored, info: info)
            } catch {
                _ = info.withSystemPath { unlink($0) }
                if !error.isExisting { throw error }
            }
        }
        throw DataFileError("trash", path, code: EEXIST)
    }

    /// Returns the name in the trash, which is shortened so that the name of its record has at most 255 bytes.
    ///
    /// - Parameter number: distinguishes files of one name, from 1 on.
    static func name(_ name: String, _ number: Int) -> String {
        let suffix = number == 1 ? "" : ".\(number)"
        var room = 255 - ".trashinfo".utf8.count - suffix.utf8.count
        let kept = name.unicodeScalars.prefix {
            room -= SystemPath.byte($0) == nil ? UTF8.width($0) : 1
            return room >= 0
        }
        return String(kept) + suffix
    }

    /// Moves a file back to its original path. Never replaces a file there.
    ///
    /// - Throws: `DataFileError`; the file stays in the trash.
    func restore(_ entry: Entry) throws(DataFileError) {
        try LocalFileSystem().rename(entry.stored, toFree: entry.original)
        _ = entry.info.withSystemPath { unlink($0) }
    }

    // MARK: Folders

    /// The trash for a file, and the folder that its recorded path is relative to; `nil` for an absolute path.
    private func folder(for path: String, device: dev_t) throws(DataFileError) -> (trash: String, top: String?) {
        var status = stat()
        _ = Trash.make(home)
        if home.withSystemPath({ stat($0, &status) }) == 0, status.st_dev == device { return (home, nil) }
        var top = PathText.parent(path)
        while top != "/" {
            let parent = PathText.parent(top)
            guard parent.withSystemPath({ stat($0, &status) }) == 0, status.st_dev == device, parent != top
            else { break }
            top = parent
        }
        // The administrator's trash is used only if others cannot remove or replace files in it.
        let shared = PathText.join(top, ".Trash")
        if shared.withSystemPath({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_mode & S_ISVTX != 0
        {
            let own = PathText.join(shared, String(user))
            if Trash.make(own), isOwn(own) { return (own, top) }
        }
        let own = PathText.join(top, ".Trash-\(user)")
        guard Trash.make(own), isOwn(own) else { throw DataFileError("trash", path, code: ENOTSUP) }
        return (own, top)
    }

    private func isOwn(_ folder: String) -> Bool {
        var status = stat()
        return folder.withSystemPath { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
            && status.st_uid == user
    }

    /// Creates a folder with its parents, accessible to this user only, unless it exists.
    private static func make(_ folder: String) -> Bool {
        folder.withSystemPath { g_mkdir_with_parents($0, 0o700) } == 0
    }
}
#endif
