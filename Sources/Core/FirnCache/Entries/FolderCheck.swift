import FirnData
import FirnSync
import Synchronization

/// The check, once, that no other user can change what is in a cache's folder: entries prove that they are whole, not
/// who wrote them.
///
/// The folder of an optional cache is also created, and refused if the process cannot write to it. Without this, each
/// store would fail for itself.
final class FolderCheck: Sendable {
    private let folder: String
    private let parts: [String]
    private let isOptional: Bool
    private let fileSystem: any FileSystem
    /// True if the folder may be used. Most calls read nothing else.
    private let isFine: Atomic<Bool>
    private let refusal = Locked<DataFileError?>(nil)
    /// The paths that were removed because they were no directories.
    private let removed = Locked<[String]>([])

    /// - Parameters:
    ///   - folder: the folder that the user named.
    ///   - parts: the directories in it that the cache makes.
    ///   - isShared: whether other users may write to it, so that nothing is checked.
    ///   - isOptional: whether the folder is given up if it cannot be written to.
    init(_ folder: String, parts: [String], isShared: Bool, isOptional: Bool = false, fileSystem: any FileSystem) {
        self.folder = folder
        self.parts = parts
        self.isOptional = isOptional
        self.fileSystem = fileSystem
        isFine = Atomic(isShared)
    }

    /// - Throws: `DataFileError` if the folder is refused, from then on at every call. Nothing is thrown, or
    ///   remembered, for a folder that does not exist yet.
    func callAsFunction() throws(DataFileError) {
        if isFine.load(ordering: .relaxed) { return }
        if let refusal = refusal.withLock({ $0 }) { throw refusal }
        do throws(DataFileError) {
            if isOptional { try makeFolder() }
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

    /// Returns the paths that were removed because they were no directories, once.
    func takeRemoved() -> [String] {
        removed.withLock { removed in
            defer { removed = [] }
            return removed
        }
    }
}
