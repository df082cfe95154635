package import FirnSync
public import FoundationEssentials

/// A decoder for one or more formats: recognizes content and opens sessions for it.
public protocol ImageDecoding: Sendable {
    /// Returns the format of content that starts with `head`; `nil` if this decoder does not decode it.
    ///
    /// - Parameter head: the first bytes: ``ImageFormat/sniffLength`` of them, or all that have arrived.
    func recognizes(_ head: Data) -> ImageFormat?

    /// Opens a session for one file, without reading or allocating pixels.
    ///
    /// - Parameter cancellation: checked between groups of rows; once it is set, the session throws
    ///   ``ImageError/Fault/cancelled``.
    func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession
}

/// A decoder that distinguishes the origins of an image's bytes.
package protocol OriginAwareDecoding: ImageDecoding {
    /// Returns the decoder for content from `origin`.
    func decoder(for origin: ImageOrigin) -> any ImageDecoding

    /// Returns the reason why content from `origin` cannot be isolated as configured: the decoder program is missing.
    /// `nil` if nothing is wrong.
    func isolationProblem(for origin: ImageOrigin) -> String?
}

/// The origin of an image's bytes, which decides where they are decoded.
package enum ImageOrigin: Hashable, Sendable {
    /// The program: its files, bytes and closures, and `data:` URLs.
    case program
    /// A loader, even if a cache returned the bytes, and every URL from outside the program.
    case loader
}

/// The decoding of one file, which may still be arriving.
///
/// Order of calls: `(append | properties | frames | advance | preview | decode)* finish (properties | frames |
/// decode)*`, on one thread at a time.
///
/// After damage that affects the whole file, every later call throws the first error again. Damage to a later frame is
/// thrown when that frame is decoded.
public protocol ImageDecodingSession: AnyObject {
    /// Appends the next bytes of the file, which are retained, not copied.
    ///
    /// - Throws: ``ImageError/Fault/limit`` if the file is longer than `maximumBytes`.
    func append(_ data: Data) throws(ImageError)

    /// Marks the data as complete. Afterwards missing bytes are an error.
    func finish()

    /// Returns the properties of the file as far as its bytes have arrived. Frames may be added until ``finish()``.
    ///
    /// - Returns: `nil` if more bytes are needed.
    func properties() throws(ImageError) -> ImageProperties?

    /// Returns the frames, pages or images known so far; none before ``properties()`` are known.
    func frames() throws(ImageError) -> [FrameProperties]

    /// Returns the properties of a frame. Frames of an animation share those of the file; a page or an image of a
    /// multi-image file has its own size, orientation, depth, colors, resolution and metadata.
    ///
    /// - Returns: `nil` if the frame is not known.
    func properties(ofFrame index: Int) throws(ImageError) -> ImageProperties?

    /// Estimates the peak memory in bytes of `decode` with these options, including the result; 0 before
    /// ``properties()`` are known.
    func workingBytes(for options: DecodingOptions) -> Int

    /// Decodes the bytes that have arrived, so that a later `decode` with the same options has less work. A call with
    /// other options discards the previous progress.
    ///
    /// - Returns: whether `decode` with these options needs no further bytes. May be true before the end of the file.
    func advance(_ options: DecodingOptions) throws(ImageError) -> Bool

    /// Returns the image as far as it can be decoded, in full color. Missing pixels are transparent; if the last rows
    /// are missing, an image requested as `rgb8` is returned as `bgra8Premultiplied`.
    ///
    /// - Returns: `nil` if nothing is new since the last preview with the same options.
    func preview(_ options: DecodingOptions) throws(ImageError) -> Bitmap?

    /// Decodes one frame.
    ///
    /// - Throws: an error if the frame is truncated, unless `options.allowsPartial` is set. Before ``finish()``, a
    ///   frame whose bytes have not all arrived throws ``ImageError/Fault/incomplete``; the session continues.
    func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap

    /// Decodes the gain map of the first frame, upright like the displayed image.
    ///
    /// - Returns: `nil` if the file has none that is supported, or not all bytes have arrived.
    /// - Throws: ``ImageError`` if the map's pixels are damaged. The image can still be decoded.
    func gainMap() throws(ImageError) -> GainMap?

    /// True if the session decodes only the ``DecodingOptions/region``. If false (the default), a pipeline decodes the
    /// whole image and crops it.
    var decodesRegions: Bool { get }

    /// The reason why the image of the last `decode` is incomplete, as its options allowed; `nil` if it is complete.
    var damage: ImageError? { get }

    /// The number of leading bytes that the last `decode`, or successful `advance`, needed; `nil` if unknown. A
    /// transfer for that image alone could have ended there.
    var bytesNeeded: Int? { get }
}

/// Defaults for simple decoders.
extension ImageDecodingSession {
    /// Returns one frame with the values of ``properties()``, complete once the file is.
    public func frames() throws(ImageError) -> [FrameProperties] {
        guard let properties = try properties() else { return [] }
        return [FrameProperties(size: properties.size, hasAlpha: properties.hasAlpha)]
    }

    /// Returns ``properties()`` for every frame.
    public func properties(ofFrame index: Int) throws(ImageError) -> ImageProperties? { try properties() }

    /// Decodes nothing and returns false.
    public func advance(_ options: DecodingOptions) throws(ImageError) -> Bool { false }

    /// Returns no preview.
    public func preview(_ options: DecodingOptions) throws(ImageError) -> Bitmap? { nil }

    /// `nil`: there is no gain map.
    public func gainMap() throws(ImageError) -> GainMap? { nil }

    /// False: the whole image is decoded.
    public var decodesRegions: Bool { false }

    /// `nil`: images are complete.
    public var damage: ImageError? { nil }

    /// `nil`: unknown.
    public var bytesNeeded: Int? { nil }

    /// Adds the bytes of a source. A session that is not ``ByteSourceReading`` receives all of them in memory, chunk by
    /// chunk.
    package func append(contentsOf source: any ByteSource) throws(ImageError) {
        if let memory = source as? MemoryByteSource { return try append(memory.data) }
        if let session = self as? any ByteSourceReading { return try session.read(from: source) }
        let pieceLength = 256 << 10
        var offset = 0
        while offset < source.count {
            let piece: Data
            do {
                piece = try source.read(at: offset, count: min(pieceLength, source.count - offset))
            } catch {
                throw ImageError(.data, at: .decoding, "\(error)")
            }
            guard !piece.isEmpty else { break }
            try append(piece)
            offset += piece.count
        }
    }
}

/// A session that delivers the rows of an image while it decodes them, without holding the whole image.
package protocol RowStreaming: ImageDecodingSession {
    /// Returns the bytes that ``streamRows(_:_:)`` holds; `nil` if the frame cannot be decoded row by row, or too few
    /// bytes have arrived.
    func streamingBytes(for options: DecodingOptions) throws(ImageError) -> Int?

    /// Decodes a frame from its first stored row to its last and delivers the rows as they are decoded. Ignores the
    /// orientation, region and target size of the options. The file must be complete.
    ///
    /// - Parameter body: receives rows in the requested pixel format, valid during the call. Their number is even,
    ///   except in the last call.
    /// - Throws: ``ImageError``, or what `body` throws.
    func streamRows(
        _ options: DecodingOptions, _ body: (UnsafeRawPointer, _ bytesPerRow: Int, _ count: Int) throws -> Void
    ) throws

    /// Returns the size in bytes of the index that ``streamRows(_:_:)`` builds with
    /// ``DecodingOptions/indexing``; 0 if regions of the file need no index, `nil` if it builds none. With the index,
    /// regions are decoded without the data before them.
    func indexedBytes() throws(ImageError) -> Int?

    /// The index for decoding regions, from this decode or an earlier one of the same file. `nil` if there is none, or
    /// the file is not suitable.
    var partIndex: Data? { get set }
}

extension DecodingOptions {
    /// The options of the decode that builds an index: a quarter of the columns and rows.
    package static var indexing: DecodingOptions {
        var options = DecodingOptions()
        options.subsamplingLevel = 4
        return options
    }
}

/// A session whose decode can share its work with idle threads.
package protocol WorkSharing: AnyObject {
    /// The executor of the decode's stripes. Default: the calling thread only. Set it before the decode.
    var stripes: any StripeExecutor { get set }
}

/// A session that reads from a byte source on demand.
package protocol ByteSourceReading: ImageDecodingSession {
    /// Adds the bytes of a source as the next bytes of the file.
    ///
    /// - Throws: ``ImageError/Fault/limit`` if the file is longer than `maximumBytes`.
    func read(from source: any ByteSource) throws(ImageError)
}
