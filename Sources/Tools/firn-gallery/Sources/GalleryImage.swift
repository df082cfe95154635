#if GTK
import Firn
import FirnSystem
import FoundationEssentials

/// An image of the gallery. Small, since there may be a hundred thousand.
struct GalleryImage: Sendable {
    /// The absolute path of a file, an address, or empty for a cell without an image.
    var source: String
    /// The size of the file; 0 if it is not known.
    let size: Int
    /// The time when the file was changed, in seconds of the local time; 0 if it is not known.
    let modified: Int64
    /// The time when the photograph was taken, in seconds of its local time; `nil` before it is read.
    var taken: Int64?
    /// The BlurHash from a list; `nil` if there is none.
    var hash: ListedHash?

    /// Creates an image from a path or an address.
    init(_ source: String, size: Int = 0, modified: Int64 = 0) {
        self.source = source
        self.size = size
        self.modified = modified
    }

    /// Creates the image of a file.
    init(path: String, _ status: FileStatus) {
        self.init(path, size: status.size, modified: LocalTime.seconds(status.modified / 1_000_000_000))
    }

    /// The path of the file; `nil` for an address.
    var path: String? { source.hasPrefix("/") ? source : nil }

    /// The time for sorting.
    var date: Int64 { taken ?? modified }

    /// The last part of the source, which is searched.
    var name: Substring {
        // By bytes, because sorting reads names millions of times.
        var bytes = source.utf8[...]
        if bytes.last == 0x2F { bytes = bytes.dropLast() }
        if let slash = bytes.lastIndex(of: 0x2F) { bytes = bytes[bytes.index(after: slash)...] }
        return source[bytes.startIndex..<bytes.endIndex]
    }

    /// The name for display. Bytes outside UTF-8 become replacement characters.
    var title: String {
        SystemPath.isText(source) ? String(name) : String(decoding: SystemPath.bytes(String(name)), as: UTF8.self)
    }

    /// A new request for the image; `nil` for a cell without an image.
    var request: ImageRequest? {
        if source.isEmpty { return nil }
        return source.hasPrefix("/") ? ImageRequest(path: source) : ImageRequest(url: source)
    }

    /// Returns `count` cells, each of which is loaded separately.
    static func repeated(_ images: [GalleryImage], count: Int, solid: Bool) -> [GalleryImage] {
        if solid { return Array(repeating: GalleryImage(""), count: count) }
        guard !images.isEmpty else { return [] }
        return (0..<count).map { number in
            let image = images[number % images.count]
            return number < images.count ? image : image.distinct(number / images.count)
        }
    }

    /// Returns the same image under another address, so that it is read and decoded again: `/` and `/./` are the same
    /// in a path.
    private func distinct(_ number: Int) -> GalleryImage {
        guard let address = request?.description, address.hasPrefix("file://"), let slash = address.lastIndex(of: "/")
        else { return GalleryImage("\(source)\(source.contains("?") ? "&" : "?")firn=\(number)") }
        var url = String(address[..<slash])
        for bit in 0..<20 { url += number >> bit & 1 == 1 ? "/." : "/" }
        return GalleryImage(url + address[slash...])
    }
}
#endif
