import FirnImage

/// What is known of one file of one format, as far as its bytes have come, and the way to its frames' pixels.
///
/// Used by one session, in one thread at a time.
protocol FormatReader: AnyObject {
    /// Looks at the bytes that have come since the last call. Cheap where nothing new has come.
    ///
    /// - Parameter watch: checked now and then, so that a file of a million empty chunks does not take minutes.
    func scan(_ chain: inout ByteChain, _ watch: DecodingWatch) throws(ImageDecodingError)

    /// What the file says of itself; `nil` until the bytes tell.
    var properties: ImageProperties? { get }

    /// The format, before the properties are known.
    var format: ImageFormat { get }

    /// The frames known so far, in order.
    var frames: [StoredFrame] { get }

    /// The image for those who show no animation, where it is none of ``frames``; its index is ``defaultImageIndex``.
    var defaultImage: StoredFrame? { get }

    /// Whether frames are changes to the image before them, to be composited; otherwise each is an image of its own.
    var composesFrames: Bool { get }

    /// Bytes that decoding holds at once, apart from the image returned.
    func workingBytes(for request: RowRequest, frame: Int) -> Int

    /// The size of the rows that ``openFrame(_:_:_:)`` would give.
    func rowSize(for request: RowRequest, frame: Int) -> PixelSize

    /// Starts decoding the own pixels of a frame, which need not be complete. A source opened before is given up.
    ///
    /// - Returns: `nil` if more bytes are needed before a row can be told of.
    func openFrame(_ index: Int, _ request: RowRequest, _ chain: ByteChain) throws(ImageDecodingError) -> (
        any RowSource
    )?
}

extension FormatReader {
    /// What ``openFrame(_:_:_:)`` takes for ``defaultImage``.
    static var defaultImageIndex: Int { -1 }

    var defaultImage: StoredFrame? { nil }
}
