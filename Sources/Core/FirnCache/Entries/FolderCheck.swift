import FirnSync
import FirnSystem
import Synchronization

/// Checks once that no other user can change the content of a cache's folder: checksums prove that entries are intact,
/// not who wrote them.
///
/// The folder of an optional cache is also created, and refused if the process cannot write to it. Without this, each
/// store would fail separately.
final class FolderCheck: Sendable {
    private let folder: String
    private let parts: [String]
    private let isOptional: Bool
    private let fileSystem: any FileSystem
    /// True if the folder may be used. Most calls read nothing else.
    private let isFine: Atomic<Bool>
    private let refusal = Locked<DataFileError?>(nil)
    /// The paths that were removed because they were not directories.
    private let removed = Locked<[String]>([])

    /// - Parameters:
    ///   - folder: the folder that the user named; empty if a URL has no path, which is refused.
    ///   - parts: the directories in it that the cache creates.
    ///   - isShared: whether other users may write to it; then nothing is checked.
    ///   - isOptional: whether a folder that is not writable disables the cache.
    init(_ folder: String, parts: [String], isShared: Bool, isOptional: Bool = false, fileSystem: any FileSystem) {
        self.folder = folder
        self.parts = parts
        self.isOptional = isOptional
        self.fileSystem = fileSystem
        isFine = Atomic(isShared && !folder.isEmpty)
    }

    /// - Throws: `DataFileError` if the folder is refused, at this and every later call. A folder that does not exist
    ///   yet causes no error and is not remembered.
    func callAsFunction() throws(DataFileError) {
        if isFine.load(ordering: .relaxed) { return }
        if let refusal = refusal.withLock({ $0 }) { throw refusal }
        do throws(DataFileError) {
            if isOptional { try makeFolder() }
            if folder.isEmpty { throw DataFileError("keep a cache in it", "no path", code: DataFileError.notWritable) }
            let obstacles = try fileSystem.checkPrivate(folder, parts: parts)
            removed.withLock { $0 += obstacles }
            isFine.store(true, ordering: .relaxed)
        } catch {
            guard error.isRefusal else { return }
            refusal.withLock { $0 = error }
            throw error
        }
    }

    /// Creates the folder.
    private func makeFolder() throws(DataFileError) {
        let call = "keep a cache in it"
        guard !folder.isEmpty else { throw DataFileError(call, "~/.cache", code: DataFileError.homeless) }
        guard (try? fileSystem.createDirectory(folder)) != nil, fileSystem.isWritable(folder) else {
            throw DataFileError(call, folder, code: DataFileError.notWritable)
        }
    }

    /// Returns, once, the paths that were removed because they were not directories.
    func takeRemoved() -> [String] {
        removed.withLock { exchange(&$0, with: []) }
    }
}

/// Creates unique names for files being written, from process, count and a random number.
final class TemporaryNames: Sendable {
    /// The age in nanoseconds at which a temporary file counts as left by a dead process: ten minutes. If its writer
    /// was only stopped that long, the entry is lost and becomes a miss.
    private static let leftBehind: Int64 = 600_000_000_000

    private let count = Atomic<UInt64>(0)
    private let ending: String

    init() {
        // Process numbers repeat, over time and across containers. The random number distinguishes such writers.
        ending = "-\(String(UInt64.random(in: 0 ... .max), radix: 16)).tmp"
    }

    /// Returns an unused path in a directory.
    ///
    /// Avoids interpolation, which takes as long as the system calls that follow.
    func next(in directory: String) -> String {
        let number = count.add(1, ordering: .relaxed).newValue
        var path = directory
        path.reserveCapacity(directory.utf8.count + 64)
        path += "/."
        path += String(getpid())
        path += "-"
        path += String(number)
        path += ending
        return path
    }

    /// Returns whether the writer of a temporary file is dead.
    static func isLeftBehind(_ status: FileStatus, at moment: Int64) -> Bool {
        status.modified.isOlder(than: leftBehind, at: moment)
    }

    /// Returns whether a name is that of a temporary file.
    static func matches(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(".tmp") }
}
