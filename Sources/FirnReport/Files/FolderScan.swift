package import FirnData
import FirnImage
import FoundationEssentials
import FirnSystem

/// Finds images in a folder by content.
package enum FolderScan {
    /// Returns the paths of all images in `folder`, as ``visit(_:files:leftOut:_:)`` finds them.
    package static func images(in folder: String) throws(DataFileError) -> [String] {
        var found: [String] = []
        var leftOut = LeftOutFiles()
        try visit(folder, leftOut: &leftOut) {
            found.append($0)
            return true
        }
        return found
    }

    /// Calls `body` with the path of each image in `folder` as it is found, sorted within each folder, until it returns
    /// `false`. Skips hidden names.
    ///
    /// Links to files are followed, links to folders are not, since they may form cycles.
    /// - Parameters:
    ///   - leftOut: counts the files that are no images, and what cannot be read.
    ///   - body: returns whether the search goes on.
    /// - Returns: whether `body` accepted all of them.
    /// - Throws: `DataFileError` if the folder itself cannot be read.
    @discardableResult
    package static func visit(
        _ folder: String, files: any FileSystem = LocalFileSystem(), leftOut: inout LeftOutFiles,
        _ body: (String) -> Bool
    ) throws(DataFileError) -> Bool {
        for name in try files.list(folder).sorted() where !name.hasPrefix(".") {
            let path = PathText.join(folder, name)
            switch kind(of: path) {
            case .folder:
                do throws(DataFileError) {
                    if try !visit(path, files: files, leftOut: &leftOut, body) { return false }
                } catch {
                    leftOut.unreadable += 1
                }
            case .file: if isImage(path, files: files, &leftOut), !body(path) { return false }
            case .other: continue
            }
        }
        return true
    }

    private enum Kind {
        case file, folder, other
    }

    private static func kind(of path: String) -> Kind {
        var own = stat()
        guard path.withSystemPath({ lstat($0, &own) }) == 0 else { return .other }
        if own.st_mode & S_IFMT == S_IFDIR { return .folder }
        var target = stat()
        // Reading a pipe or a device could block forever.
        return path.withSystemPath({ stat($0, &target) }) == 0 && target.st_mode & S_IFMT == S_IFREG ? .file : .other
    }

    private static func isImage(_ path: String, files: any FileSystem, _ leftOut: inout LeftOutFiles) -> Bool {
        guard let head = try? files.read(path, first: ImageFormat.sniffLength) else {
            leftOut.unreadable += 1
            return false
        }
        if ImageFormat.sniff(head) != nil { return true }
        if head.isEmpty { leftOut.empty += 1 } else { leftOut.unknown += 1 }
        return false
    }
}
