import FirnData

extension DiskIndex {
    /// Returns the files of all entries in the directory. Removes the leftovers of dead writers.
    ///
    /// - Parameter created: returns when the entry of a path was stored; `nil` to use its last use instead.
    static func scan(
        _ tree: EntryTree, at moment: Int64, created: (String) -> Int64?
    ) throws(DataFileError) -> [File] {
        var files: [File] = []
        try tree.forEachFile { (finding) throws(DataFileError) in
            switch finding {
            case .entry(let id, let path, let status):
                files.append(
                    File(id: id, size: status.size, used: status.modified, created: created(path) ?? status.modified))
            case .temporary(let path, let status):
                if TemporaryNames.isLeftBehind(status, at: moment) { try? tree.removeIfThere(path) }
            // Without the sizes of these files, the limits would be exceeded.
            case .unreadable(let error): throw error
            // Obstacles were never counted.
            case .obstacle, .other: break
            }
        }
        return files
    }
}
