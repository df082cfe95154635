package import FirnData
import FirnSync
package import FoundationEssentials
import Glibc

/// Writes whole files only: under another name first, then renamed.
package enum OutputFile {
    /// Names of files being written, for a signal that comes in between.
    private static let unfinished = Locked<Set<String>>([])
    private static let counter = Locked(0)

    /// Writes a file, in place of one that has the name.
    ///
    /// - Throws: `FileError`; the older file, or none, is then there, never a part of the new one.
    package static func write(_ data: Data, to path: String, files: any FileSystem = LocalFileSystem())
        throws(FileError)
    {
        let number = counter.withLock { value in
            value += 1
            return value
        }
        let (folder, name) = PathText.split(path)
        let temporary = "\(folder).\(name.prefix(100)).\(getpid())-\(number).part"
        unfinished.withLock { _ = $0.insert(temporary) }
        defer { unfinished.withLock { _ = $0.remove(temporary) } }
        do throws(FileError) {
            try files.create(temporary, [data])
        } catch {
            // The name given is the one people know.
            throw FileError("write", path, code: error.code)
        }
        do throws(FileError) {
            try files.rename(temporary, to: path)
        } catch {
            try? files.remove(temporary)
            throw FileError("write", path, code: error.code)
        }
    }

    /// Removes what is only half written; for the end of the process.
    package static func removeUnfinished() {
        for path in unfinished.withLock({ $0 }) { unlink(path) }
    }
}
