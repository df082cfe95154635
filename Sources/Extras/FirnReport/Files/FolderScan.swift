package import FirnData
import FirnImage
import FoundationEssentials

/// Finds images in a folder by their content.
package enum FolderScan {
    /// Returns the paths of all images in `folder`, as ``visit(_:files:leftOut:_:)`` finds them.
    package static func images(in folder: String) throws(DataFileError) -> [String] {
        var paths: [String] = []
        var leftOut = LeftOutFiles()
        try visit(folder, leftOut: &leftOut) { path, _ in
            paths.append(path)
            return true
        }
        return paths
    }

    /// Calls `body` with the path of each image in `folder` as it is found, sorted within each folder, until it returns
    /// `false`. Skips hidden names. Links to files are followed, links to folders are not.
    ///
    /// - Parameters:
    ///   - isRecursive: whether its subfolders are searched, too.
    ///   - leftOut: counts files that are not images, and unreadable files and folders.
    ///   - body: returns whether to continue.
    /// - Returns: whether `body` always returned `true`.
    /// - Throws: `DataFileError` if the folder itself cannot be read.
    @discardableResult
    package static func visit(
        _ folder: String, files: any FileSystem = LocalFileSystem(), isRecursive: Bool = true,
        leftOut: inout LeftOutFiles, _ body: (String, FileStatus) -> Bool
    ) throws(DataFileError) -> Bool {
        var others = LeftOutFiles()
        defer { leftOut += others }
        let walk = FolderWalk(files, isRecursive: isRecursive, followsLinks: false)
        return try walk.visit(folder, unreadable: { others.unreadable += 1 }) { path, status in
            guard let head = try? files.read(path, first: ImageFormat.sniffLength) else {
                others.unreadable += 1
                return true
            }
            if ImageFormat.sniff(head) != nil { return body(path, status) }
            if head.isEmpty { others.empty += 1 } else { others.unknown += 1 }
            return true
        }
    }
}
