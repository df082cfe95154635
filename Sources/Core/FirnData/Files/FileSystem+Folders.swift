extension FileSystem {
    /// Calls `body` with each regular file in a folder, sorted by name, folder by folder, until it returns `false`.
    /// Skips hidden names, and pipes and devices, since reading one could block forever. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - followsLinks: whether links to folders are followed; each folder is then visited once. Links to files are
    ///     always followed.
    ///   - unreadable: called for each subfolder that cannot be read.
    /// - Returns: whether `body` returned true for all files.
    /// - Throws: `DataFileError` if the folder itself cannot be read.
    @discardableResult
    package func visitFiles(
        in folder: String, isRecursive: Bool, followsLinks: Bool, unreadable: () -> Void = {},
        _ body: (String, FileStatus) -> Bool
    ) throws(DataFileError) -> Bool {
        var seen: Set<[UInt64]> = []
        func visit(_ folder: String) throws(DataFileError) -> Bool {
            guard seen.insert(try status(folder).identity).inserted else { return true }
            for name in try list(folder).sorted() where !name.hasPrefix(".") {
                let path = PathText.join(folder, name)
                guard let status = try? status(path) else {
                    // A link without a target, but no file that was removed meanwhile.
                    if FileKind(path) != .missing { unreadable() }
                    continue
                }
                if status.isDirectory {
                    guard isRecursive, followsLinks || FileKind(path) != .link else { continue }
                    do throws(DataFileError) {
                        if try !visit(path) { return false }
                    } catch {
                        unreadable()
                    }
                } else if status.isRegular, !body(path, status) {
                    return false
                }
            }
            return true
        }
        return try visit(folder)
    }
}
