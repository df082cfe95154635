import FirnData
import FirnImage
import FoundationEssentials

/// Finds the images in a folder, by content. Blocks on the disk.
struct FolderImages {
    let files: any FileSystem
    let decoders: [any ImageDecoding]
    let isRecursive: Bool

    /// Paths of the images in `folder`, sorted by name, folder by folder. Hidden names are skipped.
    ///
    /// - Throws: if the folder itself cannot be read. Unreadable entries are skipped.
    func paths(in folder: String) throws(DataFileError) -> [String] {
        var folder = folder
        while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        var seen: Set<FolderIdentity> = []
        return try paths(in: folder, &seen)
    }

    /// What tells a folder apart from those of all file systems.
    private struct FolderIdentity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// - Parameter seen: the folders so far. A folder that is reached again, by a link, is skipped.
    private func paths(in folder: String, _ seen: inout Set<FolderIdentity>) throws(DataFileError) -> [String] {
        let status = try files.status(folder)
        guard seen.insert(FolderIdentity(device: status.device, inode: status.inode)).inserted else { return [] }
        var found: [String] = []
        for name in try files.list(folder).sorted() where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            guard let status = try? files.status(path) else { continue }
            if status.isDirectory {
                if isRecursive { found += (try? paths(in: path, &seen)) ?? [] }
            } else if status.size > 0, isImage(path) {
                // A file of length 0 is no image, but may be a pipe, and reading a pipe would block.
                found.append(path)
            }
        }
        return found
    }

    private func isImage(_ path: String) -> Bool {
        guard let head = try? files.read(path, first: ImageFormat.sniffLength) else { return false }
        return decoders.contains { $0.recognizes(head) != nil }
    }
}
