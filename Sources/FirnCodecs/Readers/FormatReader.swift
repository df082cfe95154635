import FirnImage

/// What is known of one file of one format, as far as its bytes have come, and the way to its frames' pixels.
///
/// Used by one session, in one thread at a time.
protocol FormatReader: AnyObject {
    /// Looks at the bytes that have come since the last call. Cheap where nothing new has come.
    func scan(_ chain: inout ByteChain) throws(DecodingError)

    /// What the file says of itself; `nil` until the bytes tell.
    var properties: ImageProperties? { get }

    /// The format, before the properties are known.
    var format: ImageFormat { get }

    /// The frames known so far, in order.
    var frames: [StoredFrame] { get }

    /// The picture for those who show no animation, where it is none of ``frames``; its index is ``defaultImageIndex``.
    var defaultImage: StoredFrame? { get }

    /// Whether frames are changes to the picture before them, to be composited; otherwise each is a picture of its own.
    var composesFrames: Bool { get }

    /// Bytes that decoding holds at once, apart from the picture returned.
    func workingBytes(for request: RowRequest, frame: Int) -> Int

    /// The size of the rows that ``openFrame(_:_:_:)`` would give.
    func rowSize(for request: RowRequest, frame: Int) -> PixelSize

    /// Starts decoding the own pixels of a frame, which need not be complete. A source opened before is given up.
    ///
    /// - Returns: `nil` if more bytes are needed before a row can be told of.
    func openFrame(_ index: Int, _ request: RowRequest, _ chain: ByteChain) throws(DecodingError) -> (any RowSource)?
}

extension FormatReader {
    /// What ``openFrame(_:_:_:)`` takes for ``defaultImage``.
    static var defaultImageIndex: Int { -1 }

    var defaultImage: StoredFrame? { nil }
}

/// One frame as a file stores it.
struct StoredFrame: Equatable {
    /// What becomes of the frame's area before the next frame.
    enum Disposal { case keep, background, previous }

    /// Left and top edge on the canvas.
    var x = 0
    var y = 0
    /// Size of the frame's own pixels.
    var size: PixelSize
    /// Milliseconds as stored; `nil` where the file states none.
    var duration: Int?
    var disposal = Disposal.keep
    /// Whether transparent pixels let show what is below; otherwise they replace it.
    var blends = true
    var hasAlpha = false
    /// Whether all of the frame's bytes have come.
    var isComplete = false

    init(size: PixelSize) { self.size = size }
}

/// What rows are wanted of a frame.
struct RowRequest: Hashable {
    /// Samples wanted.
    var layout: SampleLayout
    /// Least size wanted, in stored orientation; `nil` for all stored pixels. A source may give more, never less.
    var least: PixelSize?
    /// Whether a picture that is cut short or damaged is given as far as it goes.
    var allowsPartial = false
    /// Whether a preview embedded in the metadata may stand for the picture.
    var allowsEmbeddedPreview = false
}

/// Layout of samples as decoders give them: colours straight, not multiplied by alpha.
enum SampleLayout: Hashable {
    case bgra8, rgba8, rgb8
    /// Ink, 255 is full; only where the file stores CMYK or YCCK.
    case cmyk8
    /// 16 bits a sample in the machine's order; only where the file stores more than 8.
    case rgba16
    /// Half floats in the machine's order; only where the file stores floats.
    case rgbaHalf

    /// Bytes of one pixel.
    var bytesPerPixel: Int {
        switch self {
        case .rgb8: 3
        case .bgra8, .rgba8, .cmyk8: 4
        case .rgba16, .rgbaHalf: 8
        }
    }
}
