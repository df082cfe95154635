import Firn
import FirnReport

/// One image of the gallery: only where it is, since there may be a hundred thousand.
struct GalleryImage: Sendable {
    /// The absolute path of a file, an address, or nothing for a cell without an image.
    let source: String

    /// An image by path or address.
    init(_ source: String) { self.source = source }

    /// What people call it, and what is searched.
    var name: Substring {
        let source = source.hasSuffix("/") ? source.dropLast() : source[...]
        return source.lastIndex(of: "/").map { source[source.index(after: $0)...] } ?? source
    }

    /// What is loaded. Made anew each time.
    var request: ImageRequest? {
        if source.isEmpty { return nil }
        return source.hasPrefix("/") ? ImageRequest(path: source) : ImageRequest(url: source)
    }

    /// As many cells as are wanted, each loaded for itself.
    static func repeated(_ images: [GalleryImage], count: Int, solid: Bool) -> [GalleryImage] {
        if solid { return Array(repeating: GalleryImage(""), count: count) }
        guard !images.isEmpty else { return [] }
        return (0..<count).map { number in
            let image = images[number % images.count]
            return number < images.count ? image : image.distinct(number / images.count)
        }
    }

    /// The same image under another name, so that it is read and decoded once more. A path of a file has many: between its
    /// parts may be `/` or `/./`.
    private func distinct(_ number: Int) -> GalleryImage {
        guard let address = request?.description, address.hasPrefix("file://"), let slash = address.lastIndex(of: "/")
        else { return GalleryImage("\(source)\(source.contains("?") ? "&" : "?")firn=\(number)") }
        var url = String(address[..<slash])
        for bit in 0..<20 { url += number >> bit & 1 == 1 ? "/." : "/" }
        return GalleryImage(url + address[slash...])
    }
}
