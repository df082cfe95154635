package import FirnData
import FirnImage
import FoundationEssentials
import FirnSystem

/// Finds images in a folder by content.
package enum FolderScan {
    /// Returns the paths of all images in `folder`, sorted within each folder. Skips hidden names.
    ///
    /// Links to files are followed, links to folders are not, since they may form cycles.
    /// - Throws: `FileError` if the folder itself cannot be read. Unreadable content is skipped.
    package static func images(in folder: String, files: any FileSystem = LocalFileSystem()) throws(FileError)
        -> [String]
    {
        var found: [String] = []
        try visit(folder, files: files) {
            found.append($0)
            return true
        }
        return found
    }

    /// Calls `body` with the path of each of these images as it is found, until it returns `false`.
    ///
    /// - Returns: whether `body` accepted all of them.
    /// - Throws: as ``images(in:files:)``.
    @discardableResult
    package static func visit(
        _ folder: String, files: any FileSystem = LocalFileSystem(), _ body: (String) -> Bool
    ) throws(FileError) -> Bool {
        for name in try files.list(folder).sorted() where !name.hasPrefix(".") {
            let path = PathText.join(folder, name)
            switch kind(of: path) {
            case .folder:
                // Unreadable content is skipped.
                if let goesOn = try? visit(path, files: files, body), !goesOn { return false }
            case .file: if isImage(path, files: files), !body(path) { return false }
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

    private static func isImage(_ path: String, files: any FileSystem) -> Bool {
        guard let head = try? files.read(path, first: ImageFormat.sniffLength) else { return false }
        return ImageFormat.sniff(head) != nil
    }
}
