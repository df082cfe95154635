import CFirnCodecs
import FirnImage
import FoundationEssentials

/// The small image that EXIF data embed, decoded.
///
/// It is the camera's own, so its colors are those of the image, and so is its orientation. Some writers leave an old
/// one behind when they change the image, which is why a request has to allow it.
/// - Source: EXIF 2.32 §4.5.5 and §4.6.2: directory 1, tags 0x0201 and 0x0202.
struct EmbeddedThumbnail {
    let size: PixelSize
    let bytesPerRow: Int
    let bytes: [UInt8]

    /// The most that the thumbnail's shape may differ from the image's: black bars would show.
    private static let tolerance = 0.02
    /// The most pixels that are decoded: what fits a segment of 64 KiB, generously.
    private static let mostPixels = 1 << 21

    /// Decodes the thumbnail of an image; `nil` if there is none that covers what the request wants, or it is damaged.
    init?(of properties: ImageProperties, for request: RowRequest, limits: ImageLimits) {
        guard let exif = properties.exif, let least = request.least,
            let directories = EXIFDirectories(exif), let range = directories.thumbnail
        else { return nil }
        var limits = limits
        limits.maximumPixels = min(limits.maximumPixels, EmbeddedThumbnail.mostPixels)
        limits.maximumProfileBytes = 0
        let reader = LibraryReader(FIRN_CODEC_JPEG, format: .jpeg, access: .forwards, limits: limits)
        var chain = ByteChain()
        chain.append(Data(directories.bytes[range]))
        chain.finish()
        guard (try? reader.scan(&chain, .none)) != nil, let own = reader.properties,
            own.colorSpace == properties.colorSpace,
            own.size.covers(least), EmbeddedThumbnail.isAlike(own.size, properties.size)
        else { return nil }
        guard let source = try? reader.openFrame(0, request, chain), !source.isWhole else { return nil }
        guard let bytes = EmbeddedThumbnail.rows(of: source, chain) else { return nil }
        size = source.size
        bytesPerRow = size.width * source.layout.bytesPerPixel
        self.bytes = bytes
    }

    /// All rows of a source, one behind the other; `nil` if they are not sound.
    private static func rows(of source: any RowSource, _ chain: ByteChain) -> [UInt8]? {
        let size = source.size
        // Sides are at most 65,535, and pixels are bounded by `mostPixels`.
        let bytesPerRow = size.width * source.layout.bytesPerPixel
        var bytes = [UInt8](repeating: 0, count: bytesPerRow * size.height)
        var done = 0
        while done < size.height {
            let progress = bytes.withUnsafeMutableBytes { memory -> RowProgress? in
                guard let base = memory.baseAddress else { return nil }
                return try? source.read(
                    chain, into: base + done * bytesPerRow, bytesPerRow: bytesPerRow, rows: size.height - done)
            }
            guard let progress, progress.rows > 0 || progress.state == .more else { return nil }
            done += progress.rows
        }
        return bytes
    }

    /// Whether two sizes have the same shape.
    static func isAlike(_ one: PixelSize, _ other: PixelSize) -> Bool {
        let first = Double(one.width) * Double(other.height)
        let second = Double(one.height) * Double(other.width)
        return abs(first - second) <= tolerance * max(first, second)
    }
}
