/// Finds the regular files in a folder, sorted by name, folder by folder. Hidden names are skipped. Blocks on the disk.
package struct FolderWalk: Sendable {
    private let files: any FileSystem
    private let isRecursive: Bool
    private let followsLinks: Bool

    /// - Parameter followsLinks: whether links to folders are followed; each folder is then visited once. Links to
    ///   files are always followed.
    package init(_ files: any FileSystem, isRecursive: Bool = true, followsLinks: Bool) {
        self.files = files
        self.isRecursive = isRecursive
        self.followsLinks = followsLinks
    }

    /// Calls `body` with each file until it returns `false`. Skips pipes and devices, since reading one could block
    /// forever.
    ///
    /// - Parameter unreadable: called for each subfolder that cannot be read.
    /// - Returns: whether `body` returned true for all files.
    /// - Throws: `DataFileError` if the folder itself cannot be read.
    @discardableResult
    package func visit(
        _ folder: String, unreadable: () -> Void = {}, _ body: (String, FileStatus) -> Bool
    ) throws(DataFileError) -> Bool {
        var seen: Set<[UInt64]> = []
        return try visit(folder, &seen, unreadable, body)
    }

    private func visit(
        _ folder: String, _ seen: inout Set<[UInt64]>, _ unreadable: () -> Void, _ body: (String, FileStatus) -> Bool
    ) throws(DataFileError) -> Bool {
        guard seen.insert(try files.status(folder).identity).inserted else { return true }
        for name in try files.list(folder).sorted() where !name.hasPrefix(".") {
            let path = PathText.join(folder, name)
            guard let status = try? files.status(path) else { continue }
            if status.isDirectory {
                guard isRecursive, followsLinks || FileKind(path) != .link else { continue }
                do throws(DataFileError) {
                    if try !visit(path, &seen, unreadable, body) { return false }
                } catch {
                    unreadable()
                }
            } else if status.isRegular, !body(path, status) {
                return false
            }
        }
        return true
    }
}
