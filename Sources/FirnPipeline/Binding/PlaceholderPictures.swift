import FirnImage
import FoundationEssentials

/// What placeholders look like. Hashes are decoded once for all cells that are bound to the same item in turn.
struct PlaceholderPictures {
    struct Content {
        var picture: Bitmap?
        var color: SRGBColor?
    }

    /// Pictures kept: a few screens of cells, 4 KiB each.
    private let limit = 256
    private var pictures: [Hash: Bitmap] = [:]

    private enum Hash: Hashable {
        case blur(String)
        case thumb(Data)
    }

    /// The picture or the colour; neither for a hash that is damaged.
    mutating func content(of placeholder: ImagePlaceholder) -> Content {
        switch placeholder {
        case .image(let picture): Content(picture: picture)
        case .color(let color): Content(color: color)
        case .blurHash(let text): Content(picture: picture(of: .blur(text)) { BlurHash(text)?.bitmap() })
        case .thumbHash(let data): Content(picture: picture(of: .thumb(data)) { ThumbHash(data)?.bitmap() })
        case .keep: Content()
        }
    }

    private mutating func picture(of hash: Hash, _ decode: () -> Bitmap?) -> Bitmap? {
        if let picture = pictures[hash] { return picture }
        guard let picture = decode() else { return nil }
        if pictures.count >= limit { pictures.removeAll(keepingCapacity: true) }
        pictures[hash] = picture
        return picture
    }
}
