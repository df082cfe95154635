import FirnData
import FoundationEssentials
import FirnSystem

/// The files and directories of an ``InMemoryFileSystem``, as a plain value.
///
/// Invariant: every node's directory is a node, and is a directory.
struct FileTree {
    struct Node {
        /// A file's bytes; `nil` for a directory.
        var content: Data?
        var modified: Int64
        var inode: UInt64
    }

    var nodes: [String: Node] = ["/": Node(content: nil, modified: 0, inode: 1)]
    /// The faults, with the number of calls since each was set.
    var faults: [(fault: FileFault, seen: Int)] = []
    var capacity = Int.max
    var isReadOnly = false
    /// Free bytes; `nil` if unknown.
    var free: Int?
    /// Contents of shared records, which are not among the files.
    var records: [String: Data] = [:]
    /// Records that are locked.
    var lockedRecords: Set<String> = []
    private(set) var callCount = 0
    private var nextInode: UInt64 = 2

    /// Counts a call and fails it if a fault is set for it.
    mutating func strike(_ call: FileFault.Call, _ path: String, _ content: Data) throws(DataFileError) {
        callCount += 1
        var hit: FileFault?
        for at in faults.indices where faults[at].fault.call == nil || faults[at].fault.call == call {
            faults[at].seen += 1
            let (fault, seen) = faults[at]
            if seen == fault.number || (fault.persists && seen > fault.number) { hit = fault }
        }
        if let hit {
            if call == .create, let kept = hit.leaving { put(Data(content.prefix(max(0, kept))), at: path, 0) }
            throw DataFileError(call.rawValue, path, code: hit.code)
        }
        let changes: Set<FileFault.Call> = [.create, .rename, .remove, .removeDirectory, .createDirectory, .touch]
        if isReadOnly, changes.contains(call) { throw DataFileError(call.rawValue, path, code: EROFS) }
    }

    func file(_ path: String, _ call: String) throws(DataFileError) -> (content: Data, modified: Int64) {
        guard let node = nodes[path] else { throw DataFileError(call, path, code: ENOENT) }
        guard let content = node.content else { throw DataFileError(call, path, code: EISDIR) }
        return (content, node.modified)
    }

    func status(_ path: String) throws(DataFileError) -> FileStatus {
        guard let node = nodes[path] else { throw DataFileError("stat", path, code: ENOENT) }
        return FileStatus(
            size: node.content?.count ?? 0, modified: node.modified, inode: node.inode, isDirectory: node.content == nil
        )
    }

    mutating func create(_ path: String, _ content: Data, _ moment: Int64) throws(DataFileError) {
        guard nodes[path] == nil else { throw DataFileError("open", path, code: EEXIST) }
        try needDirectory(parent(path), "open", path)
        let used = nodes.values.reduce(0) { $0 + ($1.content?.count ?? 0) }
        guard content.count <= capacity - used else { throw DataFileError("write", path, code: ENOSPC) }
        add(path, content, moment)
    }

    mutating func rename(_ from: String, _ to: String) throws(DataFileError) {
        _ = try file(from, "rename")
        try needDirectory(parent(to), "rename", from)
        if let target = nodes[to], target.content == nil { throw DataFileError("rename", from, code: EISDIR) }
        nodes[to] = nodes.removeValue(forKey: from)
    }

    mutating func createDirectory(_ path: String, _ moment: Int64) throws(DataFileError) {
        if let node = nodes[path] {
            guard node.content == nil else { throw DataFileError("mkdir", path, code: ENOTDIR) }
            return
        }
        try createDirectory(parent(path), moment)
        add(path, nil, moment)
    }

    mutating func removeDirectory(_ path: String) throws(DataFileError) {
        try needDirectory(path, "rmdir", path)
        guard try list(path).isEmpty else { throw DataFileError("rmdir", path, code: ENOTEMPTY) }
        guard path != "/" else { throw DataFileError("rmdir", path, code: EBUSY) }
        nodes[path] = nil
    }

    func list(_ path: String) throws(DataFileError) -> [String] {
        try needDirectory(path, "opendir", path)
        return nodes.keys.filter { $0 != "/" && parent($0) == path }
            .map { String($0.dropFirst(path == "/" ? 1 : path.count + 1)) }
    }

    mutating func put(_ content: Data?, at path: String, _ moment: Int64) {
        if content == nil {
            nodes[path] = nil
        } else if nodes[path] != nil {
            nodes[path]?.content = content
        } else {
            // A file in place of a directory stays, and the new file is not listed.
            try? createDirectory(parent(path), moment)
            add(path, content, moment)
        }
    }

    mutating func removeTree(_ path: String) {
        nodes = nodes.filter { $0.key == "/" || !($0.key == path || $0.key.hasPrefix(path + "/")) }
        records = records.filter { !$0.key.hasPrefix(path + "/") }
    }

    /// Locks a record; `false` if it is locked already.
    mutating func take(_ path: String) throws(DataFileError) -> Bool {
        try needDirectory(parent(path), "open", path)
        return lockedRecords.insert(path).inserted
    }

    private mutating func add(_ path: String, _ content: Data?, _ moment: Int64) {
        nodes[path] = Node(content: content, modified: moment, inode: nextInode)
        nextInode += 1
    }

    private func needDirectory(_ directory: String, _ call: String, _ path: String) throws(DataFileError) {
        guard let node = nodes[directory] else { throw DataFileError(call, path, code: ENOENT) }
        guard node.content == nil else { throw DataFileError(call, path, code: ENOTDIR) }
    }

    private func parent(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
