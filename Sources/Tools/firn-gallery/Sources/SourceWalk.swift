#if GTK
import Firn
import FirnReport

/// Finds the images of files, folders, addresses and lists. Blocks on the disk.
struct SourceWalk {
    /// A result of the search.
    enum Step: Sendable {
        case image(GalleryImage)
        /// An unreadable source with the reason, in one line.
        case fault(String)
    }

    private let files = LocalFileSystem()

    /// Calls `body` with each image and each fault, in the order of the sources, until it returns `false`.
    func visit(_ sources: [String], _ body: (Step) -> Bool) {
        for source in sources {
            guard source.hasPrefix("@") ? lines(String(source.dropFirst()), body) : one(source, body) else { return }
        }
    }

    /// Returns all images at once, without unreadable sources.
    static func images(of sources: [String]) -> [GalleryImage] {
        var found: [GalleryImage] = []
        SourceWalk().visit(sources) { step in
            if case .image(let image) = step { found.append(image) }
            return true
        }
        return found
    }

    private func one(_ source: String, _ body: (Step) -> Bool) -> Bool {
        if source.contains("://") || source.hasPrefix("data:") { return body(.image(GalleryImage(source))) }
        let path = source.hasPrefix("/") ? source : PathText.join(CurrentFolder.path, source)
        do throws(DataFileError) {
            guard try files.status(path).isDirectory else { return try file(path, body) }
            var isEmpty = true
            var leftOut = LeftOutFiles()
            let goesOn = try FolderScan.visit(path, files: files, leftOut: &leftOut) {
                isEmpty = false
                return body(.image(GalleryImage($0)))
            }
            return isEmpty ? body(.fault("\(source): holds no image")) : goesOn
        } catch {
            return body(.fault("\(source): cannot \(error.call): \(error.reason)"))
        }
    }

    /// Handles an image or a list.
    private func file(_ path: String, _ body: (Step) -> Bool) throws(DataFileError) -> Bool {
        let head = try files.read(path, first: ImageFormat.sniffLength)
        if ImageFormat.sniff(head) != nil { return body(.image(GalleryImage(path))) }
        if path.hasSuffix(".txt") { return lines(path, body) }
        return body(.fault("\(path): is no image of a format that Firn knows"))
    }

    /// Reads a list of paths and addresses. Lists in lists are not followed.
    private func lines(_ path: String, _ body: (Step) -> Bool) -> Bool {
        let sources: [String]
        do throws(DataFileError) {
            sources = try ListFile.sources(in: path)
        } catch {
            return body(.fault("\(path): cannot \(error.call): \(error.reason)"))
        }
        for source in sources where !source.hasPrefix("@") && !source.hasSuffix(".txt") {
            guard one(source, body) else { return false }
        }
        return true
    }
}
#endif
