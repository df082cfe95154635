#if GTK
import Firn
import FirnReport

/// An image of the gallery: only its source, since there may be a hundred thousand.
struct GalleryImage: Sendable {
    /// The absolute path of a file, an address, or empty for a cell without an image.
    let source: String

    /// Creates an image by path or address.
    init(_ source: String) { self.source = source }

    /// The name that is shown and searched.
    var name: Substring {
        let source = source.hasSuffix("/") ? source.dropLast() : source[...]
        return source.lastIndex(of: "/").map { source[source.index(after: $0)...] } ?? source
    }

    /// The request, created at each access.
    var request: ImageRequest? {
        if source.isEmpty { return nil }
        return source.hasPrefix("/") ? ImageRequest(path: source) : ImageRequest(url: source)
    }

    /// Returns as many cells as requested, each loaded separately.
    static func repeated(_ images: [GalleryImage], count: Int, solid: Bool) -> [GalleryImage] {
        if solid { return Array(repeating: GalleryImage(""), count: count) }
        guard !images.isEmpty else { return [] }
        return (0..<count).map { number in
            let image = images[number % images.count]
            return number < images.count ? image : image.distinct(number / images.count)
        }
    }

    /// Returns the same image under another name, so that it is read and decoded again. A file has many paths: between
    /// its parts may be `/` or `/./`.
    private func distinct(_ number: Int) -> GalleryImage {
        guard let address = request?.description, address.hasPrefix("file://"), let slash = address.lastIndex(of: "/")
        else { return GalleryImage("\(source)\(source.contains("?") ? "&" : "?")firn=\(number)") }
        var url = String(address[..<slash])
        for bit in 0..<20 { url += number >> bit & 1 == 1 ? "/." : "/" }
        return GalleryImage(url + address[slash...])
    }
}
#endif
