import Firn
import FirnReport

/// One picture of the gallery: only where it is, since there may be a hundred thousand.
struct GalleryPicture: Sendable {
    /// The absolute path of a file, an address, or nothing for a cell without a picture.
    let source: String

    /// A picture by path or address.
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
    static func repeated(_ pictures: [GalleryPicture], count: Int, solid: Bool) -> [GalleryPicture] {
        if solid { return Array(repeating: GalleryPicture(""), count: count) }
        guard !pictures.isEmpty else { return [] }
        return (0..<count).map { number in
            let picture = pictures[number % pictures.count]
            return number < pictures.count ? picture : picture.distinct(number / pictures.count)
        }
    }

    /// The same picture under another name, so that it is read and decoded once more. A path of a file has many: between its
    /// parts may be `/` or `/./`.
    private func distinct(_ number: Int) -> GalleryPicture {
        guard let address = request?.description, address.hasPrefix("file://"), let slash = address.lastIndex(of: "/")
        else { return GalleryPicture("\(source)\(source.contains("?") ? "&" : "?")firn=\(number)") }
        var url = String(address[..<slash])
        for bit in 0..<20 { url += number >> bit & 1 == 1 ? "/." : "/" }
        return GalleryPicture(url + address[slash...])
    }
}
