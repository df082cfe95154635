import FirnSync
import FirnSystem
import Synchronization

/// Writes files atomically: to a temporary name first, then renamed.
///
/// A replacement gets the permissions, owner and attributes of the old file as far as the system allows
/// (``FileAttributes``). Functions that replace return the attributes they could not copy, in words.
///
/// Each function takes `mark`, which is called with the path of the temporary file before the rename.
package enum OutputFile {
    /// Temporary files being written, for cleanup at a signal.
    private static let unfinished = Locked<Set<String>>([])
    private static let counter = Atomic<Int>(0)
    /// Maximum number of temporary names to try.
    private static let maximumNames = 100

    /// Writes to a path that the user named.
    ///
    /// Replaces an existing file. Follows links and replaces or creates their target. Writes into pipes, sockets,
    /// devices and descriptors of this process (`/dev/stdout`); see ``OutputPlace``. Also writes into an empty file:
    /// its creator, such as a file manager, may read it by its descriptor.
    ///
    /// - Throws: `DataFileError`. The old file, or none, then remains, never a part of the new one. A pipe, socket or
    ///   device may have received a part.
    @discardableResult
    package static func write(
        _ data: Data, to path: String, mark: ((String) -> Void)? = nil
    ) throws(DataFileError) -> [String] {
        let files = LocalFileSystem()
        switch try OutputPlace(path) {
        case .file(let target) where FileKind(target) == .file && (try? files.status(target))?.size == 0:
            mark?(target)
            do throws(DataFileError) {
                try OutputPlace.file(target).write(data, named: path)
            } catch {
                _ = target.withSystemPath { truncate($0, 0) }
                throw error
            }
            return []
        case .file(let target):
            return try write(data, to: target, named: path, mark: mark, files: files)
        case let stream:
            try stream.write(data, named: path)
            return []
        }
    }

    /// Writes a file at a path that the program chose, and replaces an existing file. A link there is replaced, not
    /// followed.
    ///
    /// - Parameter files: creates the file. If its new files are private, so is this one, regardless of the old file.
    /// - Throws: `DataFileError`, with ``DataFileError/notRegular`` if the path is a pipe, socket or device, which
    ///   remains. The old file, or none, then remains, never a part of the new one.
    @discardableResult
    package static func replace(
        _ data: Data, at path: String, mark: ((String) -> Void)? = nil, files: LocalFileSystem = LocalFileSystem()
    ) throws(DataFileError) -> [String] {
        let kind = FileKind(path)
        guard kind != .special else { throw DataFileError("write", path, code: DataFileError.notRegular) }
        return try write(data, to: path, named: path, mark: mark, files: files)
    }

    /// Writes a file if the name is free, checked atomically. A link occupies its name, even without a target.
    ///
    /// - Throws: `DataFileError`, with ``DataFileError/isExisting`` if a file has the name. That file remains.
    package static func create(_ data: Data, at path: String, mark: ((String) -> Void)? = nil) throws(DataFileError) {
        let files = LocalFileSystem()
        _ = try write(data, to: path, named: path, mark: mark, files: files) { (temporary) throws(DataFileError) in
            try files.rename(temporary, toFree: path)
        }
    }

    /// - Parameters:
    ///   - name: the path in errors.
    ///   - finish: gives the temporary file its name. Default: replaces an existing file.
    private static func write(
        _ data: Data, to path: String, named name: String, mark: ((String) -> Void)?, files: LocalFileSystem,
        _ finish: ((String) throws(DataFileError) -> Void)? = nil
    ) throws(DataFileError) -> [String] {
        let older = files.access == .owner ? nil : FileAttributes(path)
        let temporary = try draft(data, for: path, named: name, older == nil ? files : LocalFileSystem(access: .owner))
        defer { unfinished.withLock { _ = $0.remove(temporary) } }
        // Order: the old permissions may forbid marking the file.
        mark?(temporary)
        let notes = older?.give(to: temporary) ?? []
        do throws(DataFileError) {
            if let finish { try finish(temporary) } else { try files.rename(temporary, to: path) }
        } catch {
            try? files.remove(temporary)
            // Reported with the user's name, not the temporary one.
            throw DataFileError("write", name, code: error.code)
        }
        return notes
    }

    /// Writes the temporary file and returns its path.
    private static func draft(
        _ data: Data, for path: String, named name: String, _ files: LocalFileSystem
    ) throws(DataFileError) -> String {
        let (folder, last) = PathText.split(path)
        for attempt in 1... {
            let number = counter.add(1, ordering: .relaxed).newValue
            let temporary = "\(folder).\(start(of: last)).\(getpid())-\(number).part"
            unfinished.withLock { _ = $0.insert(temporary) }
            do throws(DataFileError) {
                try files.create(temporary, [data])
                return temporary
            } catch {
                unfinished.withLock { _ = $0.remove(temporary) }
                // Process numbers repeat, so a killed process may have left a file of this name.
                guard error.isExisting, attempt < maximumNames else {
                    throw DataFileError("write", name, code: error.code)
                }
            }
        }
        throw DataFileError("write", name, code: EEXIST)
    }

    /// Returns the part of a name to which a temporary suffix can be appended.
    static func start(of name: String) -> String {
        var scalars = String.UnicodeScalarView()
        var bytes = 0
        for scalar in name.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= 100 else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    /// Removes unfinished files at the end of the process.
    package static func removeUnfinished() {
        for path in unfinished.withLock({ $0 }) { _ = path.withSystemPath { unlink($0) } }
    }
}
