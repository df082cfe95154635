package import FirnData
import FirnImage
import FoundationEssentials
import Glibc

/// Finds the pictures below a folder, by content.
package enum FolderScan {
    /// Paths of all pictures below `folder`, sorted folder by folder. Hidden names are skipped.
    ///
    /// Links to files are followed, links to folders are not: they may lead round in circles.
    /// - Throws: `FileError` if the folder itself cannot be read; what cannot be read below it is left out.
    package static func pictures(in folder: String, files: any FileSystem = LocalFileSystem()) throws(FileError)
        -> [String]
    {
        var found: [String] = []
        for name in try files.list(folder).sorted() where !name.hasPrefix(".") {
            let path = PathText.join(folder, name)
            switch kind(of: path) {
            case .folder: found += (try? pictures(in: path, files: files)) ?? []
            case .file: if isPicture(path, files: files) { found.append(path) }
            case .other: continue
            }
        }
        return found
    }

    private enum Kind {
        case file, folder, other
    }

    private static func kind(of path: String) -> Kind {
        var own = stat()
        guard lstat(path, &own) == 0 else { return .other }
        if own.st_mode & S_IFMT == S_IFDIR { return .folder }
        var target = stat()
        // Reading a pipe or a device could wait for ever.
        return stat(path, &target) == 0 && target.st_mode & S_IFMT == S_IFREG ? .file : .other
    }

    private static func isPicture(_ path: String, files: any FileSystem) -> Bool {
        guard let head = try? files.read(path, first: ImageFormat.sniffLength) else { return false }
        return ImageFormat.sniff(head) != nil
    }
}
