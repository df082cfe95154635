package import FirnData
import FirnSync
package import FoundationEssentials
import FirnSystem

/// Writes files atomically: under a temporary name first, then renamed.
package enum OutputFile {
    /// Names of files being written, for cleanup at a signal.
    private static let unfinished = Locked<Set<String>>([])
    private static let counter = Locked(0)

    /// Writes a file and replaces an existing one.
    ///
    /// - Throws: `FileError`. The older file, or none, then remains, never a part of the new one.
    package static func write(
        _ data: Data, to path: String, mark: String? = nil, files: any FileSystem = LocalFileSystem()
    ) throws(FileError) {
        try write(data, to: path, mark: mark, files: files) { (temporary) throws(FileError) in
            try files.rename(temporary, to: path)
        }
    }

    /// Writes a file if the name is free, checked atomically.
    ///
    /// - Throws: `FileError`, with ``/FirnData/FileError/isExisting`` if a file has the name, which then stays.
    package static func create(_ data: Data, at path: String, mark: String? = nil) throws(FileError) {
        let files = LocalFileSystem()
        try write(data, to: path, mark: mark, files: files) { (temporary) throws(FileError) in
            let code = temporary.withSystemPath { from in path.withSystemPath { link(from, $0) == 0 ? 0 : errno } }
            switch code {
            case 0: try files.remove(temporary)
            // File systems without hard links. Another file may get the name between the two calls.
            case EPERM, ENOTSUP, ENOSYS:
                if (try? files.status(path)) != nil { throw FileError("link", path, code: EEXIST) }
                try files.rename(temporary, to: path)
            default: throw FileError("link", path, code: code)
            }
        }
    }

    private static func write(
        _ data: Data, to path: String, mark: String?, files: any FileSystem,
        _ finish: (String) throws(FileError) -> Void
    ) throws(FileError) {
        let number = counter.withLock { value in
            value += 1
            return value
        }
        let (folder, name) = PathText.split(path)
        let temporary = "\(folder).\(start(of: name)).\(getpid())-\(number).part"
        unfinished.withLock { _ = $0.insert(temporary) }
        defer { unfinished.withLock { _ = $0.remove(temporary) } }
        do throws(FileError) {
            try files.create(temporary, [data])
        } catch {
            // Reported with the user's name, not the temporary one.
            throw FileError("write", path, code: error.code)
        }
        if let mark { FileMark.set(mark, of: temporary) }
        do throws(FileError) {
            try finish(temporary)
        } catch {
            try? files.remove(temporary)
            throw FileError("write", path, code: error.code)
        }
    }

    /// Returns the part of a name to which the rest of a temporary name can be appended.
    private static func start(of name: String) -> String {
        var scalars = String.UnicodeScalarView()
        var bytes = 0
        for scalar in name.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= 100 else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    /// Removes unfinished files, at the end of the process.
    package static func removeUnfinished() {
        for path in unfinished.withLock({ $0 }) { _ = path.withSystemPath { unlink($0) } }
    }
}
