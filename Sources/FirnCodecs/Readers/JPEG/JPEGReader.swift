import CFirnCodecs
import FirnImage
import FoundationEssentials

/// Reads JPEG: by libjpeg-turbo, and, where less than the whole file tells enough, by shorter ways.
///
/// The shorter ways, each taken only where its image covers the size wanted: the thumbnail of the EXIF data, where the
/// request allows it; the DC coefficients of a progressive file, which are the image at an eighth.
final class JPEGReader: FormatReader {
    private let library: LibraryReader
    private let limits: ImageLimits
    /// The way to the frame header, once the library has read that far.
    private var head: JPEGHead?
    private var isHeadSought = false
    /// The thumbnail made last, and for which request; its image is `nil` if there is none that serves.
    private var embedded: (request: RowRequest, image: EmbeddedThumbnail?)?

    init(limits: ImageLimits) {
        self.limits = limits
        library = LibraryReader(FIRN_CODEC_JPEG, format: .jpeg, access: .forwards, limits: limits)
    }

    var format: ImageFormat { library.format }
    var properties: ImageProperties? { library.properties }
    var frames: [StoredFrame] { library.frames }
    var composesFrames: Bool { false }

    func scan(_ chain: inout ByteChain, _ watch: DecodingWatch) throws(ImageDecodingError) {
        try library.scan(&chain, watch)
        guard !isHeadSought, library.properties != nil else { return }
        isHeadSought = true
        head = try JPEGHead(chain, watch)
    }

    func workingBytes(for request: RowRequest, frame: Int) -> Int {
        if thumbnail(request, frame) != nil { return 0 }
        if let stored = eighth(for: request, frame) { return DCRowSource.workingBytes(for: stored) }
        return library.workingBytes(for: request, frame: frame)
    }

    func rowSize(for request: RowRequest, frame: Int) -> PixelSize {
        thumbnail(request, frame)?.size ?? library.rowSize(for: request, frame: frame)
    }

    func openFrame(_ index: Int, _ request: RowRequest, _ chain: ByteChain) throws(ImageDecodingError) -> (
        any RowSource
    )? {
        if let thumbnail = thumbnail(request, index) {
            return EmbeddedRowSource(thumbnail, layout: request.layout, bytesNeeded: head?.end)
        }
        if let stored = eighth(for: request, index), let properties {
            return DCRowSource(
                stored, layout: request.layout, isRGB: properties.colorSpace == "rgb"
            ) { [library] chain throws(ImageDecodingError) in try library.openFrame(index, request, chain) }
        }
        return try library.openFrame(index, request, chain)
    }

    /// Where color is stored for every four pixels or more, the least pixels of an image whose DC coefficients are
    /// used. In photographs of this size and more they give the library's image but for 2 levels on average; in
    /// smaller ones the blocks are large for what they show, and a whole decode costs little.
    private static let leastPixels = 1 << 20

    /// The stored frame, if its DC coefficients are enough for the request.
    private func eighth(for request: RowRequest, _ frame: Int) -> JPEGFrame? {
        guard frame == 0, let least = request.least, let stored = head?.progressiveFrame,
            PixelSize(width: stored.eighthWidth, height: stored.eighthHeight).covers(least),
            !stored.hasCoarseColor || stored.width * stored.height >= JPEGReader.leastPixels
        else { return nil }
        switch request.layout {
        case .bgra8, .rgba8, .rgb8: return stored
        case .cmyk8, .rgba16, .rgbaHalf: return nil
        }
    }

    /// The thumbnail of the EXIF data, if it serves.
    private func thumbnail(_ request: RowRequest, _ frame: Int) -> EmbeddedThumbnail? {
        guard frame == 0, request.allowsEmbeddedPreview, let properties, request.least != nil else { return nil }
        if let embedded, embedded.request == request { return embedded.image }
        let image = EmbeddedThumbnail(of: properties, for: request, limits: limits)
        embedded = (request, image)
        return image
    }
}
