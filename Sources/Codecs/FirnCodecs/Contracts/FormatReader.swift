/// Indexes one file of one format, as far as its bytes have been received, and opens its frames' pixels.
///
/// One session uses it, on one thread at a time.
protocol FormatReader: AnyObject {
    /// Reads the bytes received since the last call. Cheap if there are none.
    ///
    /// Each read is a step of the chain's watch. Loops that read nothing must count steps themselves.
    func scan(_ chain: inout ByteChain) throws(ImageError)

    /// The file's properties; `nil` until enough bytes have been received.
    var properties: ImageProperties? { get }

    /// The format, even before the properties are known.
    var format: ImageFormat { get }

    /// The frames known so far, in order.
    var frames: [StoredFrame] { get }

    /// The image for clients that show no animation, if it is not one of ``frames``; see ``RowRequest/defaultImage``.
    var defaultImage: StoredFrame? { get }

    /// The order of frames that are composited over the previous image; `nil` (the default) if each frame is an image
    /// of its own.
    var order: FrameOrder? { get }

    /// True if the functions below support ``RowRequest/area``; otherwise they are called without one.
    var decodesAreas: Bool { get }

    /// The threads that may run stripes of a decode; readers that decode in one piece ignore it.
    var stripes: any StripeExecutor { get set }

    /// Returns the properties of a page or image as if it were alone in its file, except for the number of frames. Ends
    /// any open source. Called for frames but the first of files with several frames and no durations.
    func page(_ index: Int, _ chain: ByteChain) throws(ImageError) -> ImageProperties?

    /// Returns the gain map of the first frame; `nil` (the default) if there is none, or not all bytes have arrived.
    func gainMap(_ chain: ByteChain) -> StoredGainMap?

    /// Returns the bytes that a decode holds at once, apart from the image returned.
    func workingBytes(for request: RowRequest) -> Int

    /// Returns the size of the rows that ``openFrame(_:_:)`` would return.
    func rowSize(for request: RowRequest) -> PixelSize

    /// Starts decoding a frame's own pixels, which need not be complete. Ends any open source.
    ///
    /// - Returns: `nil` if more bytes are needed before the first row.
    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)?
}

extension FormatReader {
    var defaultImage: StoredFrame? { nil }
    var order: FrameOrder? { nil }
    var stripes: any StripeExecutor {
        get { SerialStripes() }
        set {}
    }

    func page(_ index: Int, _ chain: ByteChain) throws(ImageError) -> ImageProperties? { properties }

    func gainMap(_ chain: ByteChain) -> StoredGainMap? { nil }

    func rowSize(for request: RowRequest) -> PixelSize {
        frame(request.frame)?.size ?? PixelSize(0)
    }

    /// Returns a frame; `nil` if it is not known, or its index is that of the default image.
    func frame(_ index: Int) -> StoredFrame? { frames.indices.contains(index) ? frames[index] : nil }
}

/// The rows requested of a frame.
struct RowRequest: Hashable {
    /// The index of ``FormatReader/defaultImage``.
    static let defaultImage = -1

    /// The index of the frame.
    var frame = 0
    /// The sample layout requested.
    var layout: SampleLayout
    /// The part of the frame requested, in stored pixels and orientation; `nil` for the whole frame.
    var area: PixelArea?
    /// The least size requested of the part, in stored orientation; `nil` for all stored pixels. A source may return
    /// more, never less.
    var least: PixelSize?
    /// True if a truncated or damaged image is returned as far as it can be decoded.
    var allowsPartial = false
    /// True if a preview embedded in the metadata may replace the image.
    var allowsEmbeddedPreview = false
    /// True if the decode makes an index of the file's parts, if it can: see ``JPEGReader/partIndex``.
    var makesIndex = false
}

/// One frame as a file stores it.
struct StoredFrame: Equatable {
    /// The state of the frame's area before the next frame is drawn.
    enum Disposal { case keep, background, previous }

    /// The longest duration of a frame in milliseconds: 49 days, the most that any format but HEIF can state.
    ///
    /// The sum of all frames of a file then fits into every number.
    static let longestDuration = Int(UInt32.max)

    /// The left and top edge on the canvas.
    var x = 0
    var y = 0
    /// The size of the frame's own pixels.
    var size: PixelSize
    /// The stored duration in milliseconds, at most ``longestDuration``; `nil` if the file states none.
    var duration: Int?
    var disposal = Disposal.keep
    /// True if the canvas shows through transparent pixels; otherwise they replace it.
    var blends = true
    var hasAlpha = false
    /// The orientation of a page; `nil` for that of the file.
    var orientation: ImageOrientation?
    /// True if all of the frame's bytes have been received.
    var isComplete = false
}

/// The decode of one frame with one set of options, as far as its bytes have been received.
protocol FrameDecode: AnyObject {
    /// Decodes as far as the received bytes allow.
    ///
    /// - Returns: whether the frame is complete.
    func advance(_ chain: ByteChain) throws(ImageError) -> Bool

    /// Returns the frame as far as it is decoded; `nil` if nothing is decoded, or, unless `always`, nothing new since
    /// the last call.
    func partial(_ chain: ByteChain, always: Bool) throws(ImageError) -> Bitmap?

    /// Returns the complete frame. Call it once, after ``advance(_:)`` returned `true`.
    func finish() throws(ImageError) -> Bitmap

    /// The number of first bytes of the file that the complete frame needed; `nil` if that is not known.
    var bytesNeeded: Int? { get }
}

extension ImageLimits {
    /// Checks a declared size before any allocation for it.
    ///
    /// - Parameter states: the verb of the error. Default: "declares".
    /// - Throws: ``ImageError/Fault/data`` if it is empty, ``ImageError/Fault/limit`` if it has too
    ///   many pixels.
    func check(_ size: PixelSize, states: String = "declares") throws(ImageError) {
        if size.isEmpty { throw .data("declares an empty image") }
        guard size.area <= maximumPixels else {
            throw .limit("\(states) \(size) pixels; \(maximumPixels) are allowed", "maximumPixels")
        }
    }

    /// The error of a file that has more bytes than allowed.
    var tooManyBytes: ImageError { .limit("is longer than the \(maximumBytes) bytes allowed", "maximumBytes") }

    /// The error of a file that has more frames than allowed.
    var tooManyFrames: ImageError {
        .limit("has more than the \(maximumFrames) frames allowed", "maximumFrames")
    }
}

extension ImageError {
    static func data(_ message: String) -> ImageError { ImageError(.data, at: .decoding, message) }

    /// - Parameter property: the property of ``ImageLimits`` that sets the limit. Default: none.
    static func limit(_ message: String, _ property: String? = nil) -> ImageError {
        ImageError(.limit, at: .decoding, message, setting: property.map { "ImageLimits.\($0)" })
    }

    static func unsupported(_ message: String) -> ImageError { ImageError(.unsupported, at: .decoding, message) }
}
