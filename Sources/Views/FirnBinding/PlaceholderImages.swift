import FirnImage
import FirnProcessing
import FoundationEssentials

/// Caches the images of placeholders, so that a hash is decoded once for all cells that show the same item.
struct PlaceholderImages {
    struct Content {
        var image: Bitmap?
        var color: SRGBColor?
    }

    /// The maximum number of images: a few screens of cells, at 4 KiB each.
    private let limit = 256
    private var images: [Hash: Bitmap] = [:]

    private enum Hash: Hashable {
        case blur(String)
        case thumb(Data)
    }

    /// Returns the image or color of a placeholder; neither if a hash is damaged.
    mutating func content(of placeholder: ImagePlaceholder) -> Content {
        switch placeholder {
        case .image(let image): Content(image: image)
        case .color(let color): Content(color: color)
        case .blurHash(let text): Content(image: image(of: .blur(text)) { BlurHash(text)?.bitmap() })
        case .thumbHash(let data): Content(image: image(of: .thumb(data)) { ThumbHash(data)?.bitmap() })
        case .keep: Content()
        }
    }

    private mutating func image(of hash: Hash, _ decode: () -> Bitmap?) -> Bitmap? {
        if let image = images[hash] { return image }
        guard let image = decode() else { return nil }
        if images.count >= limit { images.removeAll(keepingCapacity: true) }
        images[hash] = image
        return image
    }
}
