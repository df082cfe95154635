package import FirnSync
public import FoundationEssentials

/// A decoder of one or more formats: recognizes content and opens sessions for it.
public protocol ImageDecoding: Sendable {
    /// Returns the format of content that starts with `head`; `nil` if this decoder does not decode it.
    ///
    /// - Parameter head: the first bytes: ``ImageFormat/sniffLength`` of them, or all that have arrived.
    func recognizes(_ head: Data) -> ImageFormat?

    /// Starts decoding one file. Neither reads nor allocates pixels.
    ///
    /// - Parameter cancellation: checked between groups of rows; once it is set, the session throws
    ///   ``ImageDecodingError/Fault/cancelled``.
    func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession
}

/// A decoder that tells apart where the bytes of an image come from.
package protocol OriginAwareDecoding: ImageDecoding {
    /// Returns the decoder for content of an origin.
    func decoder(for origin: ImageOrigin) -> any ImageDecoding

    /// Returns why content of an origin is not isolated although it should be: the program that would decode is
    /// missing. `nil` if nothing is wrong.
    func isolationProblem(for origin: ImageOrigin) -> String?
}

/// The origin of an image's bytes, which decides where they are decoded.
package enum ImageOrigin: Hashable, Sendable {
    /// The program: files and bytes that it names, its closures, `data:` addresses.
    case program
    /// A loader, also if the bytes were read back from a cache, and every address from outside of the program.
    case loader
}

/// The decoding of one file, which may still be arriving.
///
/// Order of calls: `(append | properties | frames | advance | preview | decode)* finish (properties | frames |
/// decode)*`, on one thread at a time.
///
/// After damage that affects the whole file, every later call throws the first error again. Damage of later frames is
/// thrown when such a frame is decoded.
public protocol ImageDecodingSession: AnyObject {
    /// Appends the next bytes of the file. They are retained, not copied.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if the file is longer than `maximumBytes`.
    func append(_ data: Data) throws(ImageDecodingError)

    /// Marks the data as complete. Afterwards missing bytes are an error.
    func finish()

    /// Returns the properties of the file as far as its bytes have arrived. Frames may be added until ``finish()``.
    ///
    /// - Returns: `nil` if more bytes are needed.
    func properties() throws(ImageDecodingError) -> ImageProperties?

    /// Returns the frames, pages or images known so far; none before ``properties()`` are known.
    func frames() throws(ImageDecodingError) -> [FrameProperties]

    /// Returns the properties of a frame: those of the file for frames of an animation. A page, or an image of a file
    /// that holds several, has its own size, orientation, depth, colors, resolution and metadata.
    ///
    /// - Returns: `nil` if the frame is not known.
    func properties(ofFrame index: Int) throws(ImageDecodingError) -> ImageProperties?

    /// Estimates the most bytes that `decode` with these options holds at once, its result included; 0 before
    /// ``properties()`` are known.
    func workingBytes(for options: DecodingOptions) -> Int

    /// Decodes the bytes that have arrived, so that a later `decode` with the same options has less to do. Other
    /// options than those of the last call discard what was decoded.
    ///
    /// - Returns: whether `decode` with these options needs no further bytes. May be true before the end of the file.
    func advance(_ options: DecodingOptions) throws(ImageDecodingError) -> Bool

    /// Returns the image as far as it can be decoded, in full color. Missing pixels are transparent; without its last
    /// rows, an image requested as `rgb8` is returned as `bgra8Premultiplied`.
    ///
    /// - Returns: `nil` if there is nothing new since the last preview with the same options.
    func preview(_ options: DecodingOptions) throws(ImageDecodingError) -> Bitmap?

    /// Decodes one frame.
    ///
    /// - Throws: an error if the frame is truncated, unless `options.allowsPartial`. Before ``finish()``, a frame whose
    ///   bytes have not all arrived throws ``ImageDecodingError/Fault/incomplete``; the session continues.
    func decode(_ options: DecodingOptions) throws(ImageDecodingError) -> Bitmap

    /// True if calls with a ``DecodingOptions/region`` return that region. If not (the default), a pipeline decodes the
    /// whole image and cuts it.
    var decodesRegions: Bool { get }

    /// Why the image of the last `decode` is incomplete, as its options allowed; `nil` if it is complete.
    var damage: ImageDecodingError? { get }

    /// The number of first bytes that the last `decode`, or `advance` that returned true, needed; `nil` if unknown. A
    /// transfer for that image alone could have ended there.
    var bytesNeeded: Int? { get }
}

/// Defaults for simple decoders.
extension ImageDecodingSession {
    /// Returns one frame with the values of ``properties()``, complete once the file is.
    public func frames() throws(ImageDecodingError) -> [FrameProperties] {
        guard let properties = try properties() else { return [] }
        return [FrameProperties(size: properties.size, hasAlpha: properties.hasAlpha)]
    }

    /// Returns ``properties()`` for every frame.
    public func properties(ofFrame index: Int) throws(ImageDecodingError) -> ImageProperties? { try properties() }

    /// Decodes nothing and returns false.
    public func advance(_ options: DecodingOptions) throws(ImageDecodingError) -> Bool { false }

    /// Returns no preview.
    public func preview(_ options: DecodingOptions) throws(ImageDecodingError) -> Bitmap? { nil }

    /// Regions are not decoded on their own.
    public var decodesRegions: Bool { false }

    /// Images are complete.
    public var damage: ImageDecodingError? { nil }

    /// Unknown.
    public var bytesNeeded: Int? { nil }
}

/// A session that passes on the rows of an image while it decodes them, without holding the whole image.
package protocol RowStreaming: ImageDecodingSession {
    /// Returns the bytes that ``streamRows(_:_:)`` holds; `nil` if the frame does not come row by row, or too few bytes
    /// have arrived.
    func streamingBytes(for options: DecodingOptions) throws(ImageDecodingError) -> Int?

    /// Decodes a frame from its first stored row to its last, and passes the rows on as they are decoded. Orientation,
    /// region and target size of the options do not apply. The file must be complete.
    ///
    /// - Parameter body: gets rows of the requested pixel format, valid during the call. Their number is even, except
    ///   in the last call.
    /// - Throws: ``ImageDecodingError``, or what `body` throws.
    func streamRows(
        _ options: DecodingOptions, _ body: (UnsafeRawPointer, _ bytesPerRow: Int, _ count: Int) throws -> Void
    ) throws
}

/// A session that makes an index of the file's parts while it decodes the whole image at a quarter. By the index, it
/// decodes regions without what comes before them.
package protocol PartIndexing: RowStreaming {
    /// Returns the bytes of the index that ``RowStreaming/streamRows(_:_:)`` makes with ``DecodingOptions/indexing``; 0
    /// if the file's regions are decoded on their own without one, `nil` if it makes none.
    func indexedBytes() throws(ImageDecodingError) -> Int?

    /// The index by which regions are decoded: that of such a decode, or of an earlier one of the same file. `nil` if
    /// there is none, or the file turned out to be unusual.
    var partIndex: Data? { get set }
}

extension DecodingOptions {
    /// The options of the decode that makes an index of the parts: a quarter of the columns and rows.
    package static var indexing: DecodingOptions {
        var options = DecodingOptions()
        options.subsamplingLevel = 4
        return options
    }
}

/// A session whose decode can share its work with idle threads.
package protocol WorkSharing: AnyObject {
    /// The threads of a decode's stripes. Default: the calling thread alone. Set it before the decode.
    var stripes: any StripeExecutor { get set }
}

/// A session that reads from a byte source on demand.
package protocol ByteSourceReading: ImageDecodingSession {
    /// Adds the bytes of a source as the next bytes of the file.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if the file is longer than `maximumBytes`.
    func read(from source: any ByteSource) throws(ImageDecodingError)
}

extension ImageDecodingSession {
    /// Adds the bytes of a source. A session that is not a ``ByteSourceReading`` gets all of them in memory, piece by
    /// piece.
    package func append(contentsOf source: any ByteSource) throws(ImageDecodingError) {
        if let session = self as? any ByteSourceReading { return try session.read(from: source) }
        let pieceLength = 256 << 10
        var offset = 0
        while offset < source.count {
            let piece: Data
            do {
                piece = try source.read(at: offset, count: min(pieceLength, source.count - offset))
            } catch {
                throw ImageDecodingError(.data, "\(error)")
            }
            guard !piece.isEmpty else { break }
            try append(piece)
            offset += piece.count
        }
    }
}
