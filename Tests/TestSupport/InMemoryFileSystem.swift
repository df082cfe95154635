package import FirnData
import FirnSync
package import FoundationEssentials
import FirnSystem

/// A file system in memory that fails on demand.
///
/// It behaves like the real file system as seen through `FileSystem`, with the same error numbers: a new file needs its
/// directory, only an empty directory can be removed, `rename` replaces a file. Paths are used as written. For tests of
/// caches and of other code that uses an `any FileSystem`.
package final class InMemoryFileSystem: FileSystem {
    private let tree: Locked<FileTree>
    private let now: @Sendable () -> Duration
    private let opening = Locked<(@Sendable (String) -> Void)?>(nil)

    /// Creates an empty file system with a root directory.
    ///
    /// - Parameter now: the time since 1970, for modification times. Default: always 0.
    package init(now: @escaping @Sendable () -> Duration = { .zero }) {
        tree = Locked(FileTree())
        self.now = now
    }

    // MARK: Control by the test

    /// Makes a later call fail. Several faults may be set.
    package func fail(_ fault: FileFault) { tree.withLock { $0.faults.append((fault, 0)) } }

    package func clearFaults() { tree.withLock { $0.faults = [] } }

    /// Called with the path before a file is opened. It may block, as a file system that stops responding does.
    /// Default: `nil`.
    package var willOpen: (@Sendable (String) -> Void)? {
        get { opening.withLock { $0 } }
        set { opening.withLock { $0 = newValue } }
    }

    /// Maximum bytes of all files together. Beyond it, `create` fails with `ENOSPC`. Default: no limit.
    package var capacity: Int {
        get { tree.withLock { $0.capacity } }
        set { tree.withLock { $0.capacity = newValue } }
    }

    /// True if every change fails with `EROFS`. Default: false.
    package var isReadOnly: Bool {
        get { tree.withLock { $0.isReadOnly } }
        set { tree.withLock { $0.isReadOnly = newValue } }
    }

    /// The number of calls so far, including failed ones.
    package var callCount: Int { tree.withLock { $0.callCount } }

    package var files: [String: Data] { tree.withLock { $0.nodes.compactMapValues { $0.content } } }

    /// The content of a file, read and changed without a call of the file system.
    ///
    /// Setting it creates the parent directories; setting `nil` removes the file. The modification time stays.
    package subscript(path: String) -> Data? {
        get { tree.withLock { $0.nodes[path]?.content } }
        set {
            let moment = now().nanoseconds
            tree.withLock { $0.put(newValue, at: path, moment) }
        }
    }

    /// Removes a directory with its content, as another process would.
    package func removeTree(_ path: String) { tree.withLock { $0.removeTree(path) } }

    // MARK: FileSystem

    package func read(_ path: String, first count: Int) throws(DataFileError) -> Data {
        try perform(.read, path) { (tree) throws(DataFileError) in
            Data(try tree.file(path, "open").content.prefix(max(0, count)))
        }
    }

    /// Opens a file for random access. Every read is a call that can fail.
    package func open(_ path: String) throws(DataFileError) -> OpenedFile {
        willOpen?(path)
        let status = try perform(.open, path) { (tree) throws(DataFileError) in
            _ = try tree.file(path, "open")
            return try tree.status(path)
        }
        return OpenedFile(path: path, status: status) { (offset, count) throws(DataFileError) in
            try self.perform(.read, path) { (tree) throws(DataFileError) in
                Data(try tree.file(path, "read").content.dropFirst(max(0, offset)).prefix(max(0, count)))
            }
        } closing: {
        }
    }

    /// Returns a copy of a whole file, in one call that can fail.
    package func load(_ path: String) throws(DataFileError) -> MappedFile { try copy(path, .read) }

    /// Returns a copy of a whole file.
    package func map(_ path: String) throws(DataFileError) -> MappedFile { try copy(path, .map) }

    private func copy(_ path: String, _ call: FileFault.Call) throws(DataFileError) -> MappedFile {
        try perform(call, path) { (tree) throws(DataFileError) in
            MappedFile(copying: try tree.file(path, "open").content, status: try tree.status(path))
        }
    }

    package func create(_ path: String, _ parts: [Data]) throws(DataFileError) {
        let moment = now().nanoseconds
        var content = Data()
        for part in parts { content.append(part) }
        try perform(.create, path, leaving: content) { (tree) throws(DataFileError) in
            try tree.create(path, content, moment)
        }
    }

    package func rename(_ from: String, to: String) throws(DataFileError) {
        try perform(.rename, from) { (tree) throws(DataFileError) in try tree.rename(from, to) }
    }

    package func remove(_ path: String) throws(DataFileError) {
        try perform(.remove, path) { (tree) throws(DataFileError) in
            _ = try tree.file(path, "unlink")
            tree.nodes[path] = nil
        }
    }

    package func removeDirectory(_ path: String) throws(DataFileError) {
        try perform(.removeDirectory, path) { (tree) throws(DataFileError) in try tree.removeDirectory(path) }
    }

    package func createDirectory(_ path: String) throws(DataFileError) {
        let moment = now().nanoseconds
        try perform(.createDirectory, path) { (tree) throws(DataFileError) in try tree.createDirectory(path, moment) }
    }

    package func list(_ path: String) throws(DataFileError) -> [String] {
        try perform(.list, path) { (tree) throws(DataFileError) in try tree.list(path) }
    }

    package func status(_ path: String) throws(DataFileError) -> FileStatus {
        try perform(.status, path) { (tree) throws(DataFileError) in try tree.status(path) }
    }

    package func touch(_ path: String, modified: Int64) throws(DataFileError) {
        try perform(.touch, path) { (tree) throws(DataFileError) in
            guard tree.nodes[path] != nil else { throw DataFileError("utimensat", path, code: ENOENT) }
            tree.nodes[path]?.modified = modified
        }
    }

    /// Returns a record that users of this file system change in turns. It is not in ``files`` and is removed with its
    /// directory.
    package func sharedRecord(_ path: String) throws(DataFileError) -> (any SharedRecord)? {
        Record(files: self, path: path)
    }

    private struct Record: SharedRecord {
        let files: InMemoryFileSystem
        let path: String

        func take() throws(DataFileError) {
            while try !files.perform(.share, path, { (tree) throws(DataFileError) in try tree.take(path) }) {
                sched_yield()
            }
        }

        func leave() { files.tree.withLock { _ = $0.lockedRecords.remove(path) } }

        func read() throws(DataFileError) -> Data { try files.perform(.share, path) { $0.records[path] ?? Data() } }

        func write(_ data: Data) throws(DataFileError) {
            try files.perform(.share, path) { $0.records[path] = data }
        }
    }

    package func space(_ path: String) throws(DataFileError) -> Int? { freeSpace }

    /// The free bytes that ``space(_:)`` returns; `nil` (the default) if they are unknown.
    package var freeSpace: Int? {
        get { tree.withLock { $0.free } }
        set { tree.withLock { $0.free = newValue } }
    }

    private func perform<Result>(
        _ call: FileFault.Call, _ path: String, leaving content: Data = Data(),
        _ body: (inout FileTree) throws(DataFileError) -> Result
    ) throws(DataFileError) -> Result {
        try tree.withLock { (tree) throws(DataFileError) in
            try tree.strike(call, path, content)
            return try body(&tree)
        }
    }
}
