import CFirnCodecs
import FoundationEssentials

/// The rows of the thumbnail in EXIF data, which are decoded at once.
///
/// The camera writes it, so its colors and orientation are those of the image. Some programs keep an old thumbnail when
/// they change the image, so a request must allow its use.
///
/// - Source: EXIF 2.32 §4.5.5 and §4.6.2: directory 1, tags 0x0201 and 0x0202.
final class EmbeddedThumbnail: RowSource {
    let size: PixelSize
    let layout: SampleLayout
    let bytesNeeded: Int?
    private let bytes: [UInt8]
    private var next = 0

    /// The largest difference between the thumbnail's aspect ratio and the image's; a larger one would show black bars.
    private static let tolerance = 0.02
    /// The limit of decoded pixels: more than fits into a segment of 64 KiB.
    private static let maximumPixels = 1 << 21

    /// Decodes the thumbnail of an image; `nil` if none covers the requested size, or it is damaged.
    ///
    /// - Parameter bytesNeeded: the number of first bytes of the file that hold the EXIF data.
    init?(
        of properties: ImageProperties, for request: RowRequest, bytesNeeded: Int?, limits: ImageLimits,
        host: DecoderHost
    ) {
        guard let exif = properties.exif, let least = request.least,
            let directories = EXIFDirectories(exif), let range = directories.thumbnail
        else { return nil }
        var limits = limits
        limits.maximumPixels = min(limits.maximumPixels, EmbeddedThumbnail.maximumPixels)
        limits.maximumProfileBytes = 0
        let reader = LibraryReader(FIRN_CODEC_JPEG, format: .jpeg, access: .forwards, limits: limits, host: host)
        var chain = ByteChain(whole: Data(directories.bytes[range]))
        guard (try? reader.scan(&chain)) != nil, let own = reader.properties,
            own.colorSpace == properties.colorSpace,
            own.size.covers(least), EmbeddedThumbnail.isAlike(own.size, properties.size)
        else { return nil }
        guard let source = try? reader.openFrame(request, chain), !source.isWhole else { return nil }
        // Sides are at most 65,535, and `maximumPixels` limits the pixels.
        let (height, bytesPerRow) = (source.size.height, source.size.width * source.layout.bytesPerPixel)
        var bytes = [UInt8](repeating: 0, count: bytesPerRow * height)
        var done = 0
        while done < height {
            let progress = bytes.withUnsafeMutableBytes { memory -> RowProgress? in
                guard let base = memory.baseAddress else { return nil }
                let rest = RowMemory(
                    base + done * bytesPerRow, bytesPerRow: bytesPerRow, rowBytes: bytesPerRow, rows: height - done)
                return try? source.read(chain, into: rest)
            }
            guard let progress, progress.rows > 0 || progress.state == .more else { return nil }
            done += progress.rows
        }
        size = source.size
        layout = source.layout
        self.bytesNeeded = bytesNeeded
        self.bytes = bytes
    }

    /// Returns whether two sizes have the same aspect ratio, within the tolerance.
    static func isAlike(_ one: PixelSize, _ other: PixelSize) -> Bool {
        let first = Double(one.width) * Double(other.height)
        let second = Double(one.height) * Double(other.width)
        return abs(first - second) <= tolerance * max(first, second)
    }

    /// Starts again with the first row.
    func restart() { next = 0 }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        let count = max(0, min(memory.rows, size.height - next))
        let bytesPerRow = size.width * layout.bytesPerPixel
        for row in 0..<count {
            let start = (next + row) * bytesPerRow
            memory.row(row).copyBytes(from: bytes[start..<start + bytesPerRow])
        }
        next += count
        return RowProgress(rows: count, state: next < size.height ? .more : .end)
    }
}
