import FirnProcessing

/// Caches the images of placeholders, so that a hash is decoded once for all cells that show the same item.
struct PlaceholderImages {
    /// The maximum number of images: a few screens of cells, at 4 KiB each.
    private let limit = 256
    private var images: [Hash: Bitmap] = [:]

    private enum Hash: Hashable {
        case blur(String)
        case thumb(Data)
    }

    /// Returns the image or color of a placeholder; neither if a hash is damaged.
    mutating func content(of placeholder: ImagePlaceholder) -> (image: Bitmap?, color: SRGBColor?) {
        switch placeholder {
        case .image(let image): (image, nil)
        case .color(let color): (nil, color)
        case .blurHash(let text): (image(of: .blur(text)) { BlurHash(text)?.bitmap() }, nil)
        case .thumbHash(let data): (image(of: .thumb(data)) { ThumbHash(data)?.bitmap() }, nil)
        case .keep: (nil, nil)
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
