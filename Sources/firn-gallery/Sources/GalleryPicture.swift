import Firn
import FirnReport

/// One picture of the gallery.
struct GalleryPicture: Sendable {
    /// What people call it, and what is searched.
    let name: String
    /// What is loaded.
    let request: ImageRequest?

    /// The pictures of arguments: files, folders, addresses, lists. What cannot be read is left out.
    static func list(of arguments: [String]) -> [GalleryPicture] {
        arguments.flatMap { argument -> [GalleryPicture] in
            argument.hasPrefix("@") ? lines(of: String(argument.dropFirst())).flatMap { some($0) } : some(argument)
        }
    }

    /// As many cells as are wanted, each loaded for itself.
    static func repeated(_ pictures: [GalleryPicture], count: Int, solid: Bool) -> [GalleryPicture] {
        if solid { return (0..<count).map { GalleryPicture(name: "\($0)", request: nil) } }
        guard !pictures.isEmpty else { return [] }
        return (0..<count).map { number in
            let picture = pictures[number % pictures.count]
            guard number >= pictures.count, let request = picture.request else { return picture }
            return GalleryPicture(name: picture.name, request: distinct(request, number / pictures.count))
        }
    }

    /// The same picture under another name, so that it is read and decoded once more. A path of a file has many: between its
    /// parts may be `/` or `/./`.
    private static func distinct(_ request: ImageRequest, _ number: Int) -> ImageRequest {
        guard request.description.hasPrefix("file://"), let slash = request.description.lastIndex(of: "/") else {
            return ImageRequest(
                url: "\(request.description)\(request.description.contains("?") ? "&" : "?")firn=\(number)")
        }
        var url = String(request.description[..<slash])
        for bit in 0..<20 { url += number >> bit & 1 == 1 ? "/." : "/" }
        return ImageRequest(url: url + request.description[slash...])
    }

    private static func some(_ text: String) -> [GalleryPicture] {
        if isAddress(text) { return [GalleryPicture(name: lastPart(text), request: ImageRequest(url: text))] }
        let files = LocalFileSystem()
        guard let status = try? files.status(text) else { return [] }
        let paths = status.isDirectory ? (try? FolderScan.pictures(in: text, files: files)) ?? [] : [text]
        return paths.map { GalleryPicture(name: lastPart($0), request: ImageRequest(path: absolute($0))) }
    }

    private static func lines(of path: String) -> [String] {
        guard let data = try? LocalFileSystem().read(path) else { return [] }
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
            .filter { !$0.hasPrefix("#") }
    }

    private static func isAddress(_ text: String) -> Bool { text.contains("://") || text.hasPrefix("data:") }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : PathText.join(CurrentFolder.path, path)
    }

    private static func lastPart(_ text: String) -> String {
        text.split(separator: "/").last.map(String.init) ?? text
    }
}
