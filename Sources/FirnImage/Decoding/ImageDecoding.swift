public import FoundationEssentials

/// A decoder of one or more formats: recognizes content and opens sessions for it.
public protocol ImageDecoding: Sendable {
    /// The format of content that starts with `head`, if this decoder takes it.
    ///
    /// - Parameter head: the first bytes; ``ImageFormat/sniffLength`` of them, or all there are.
    func recognizes(_ head: Data) -> ImageFormat?

    /// Starts decoding one file. Neither reads nor allocates pixels.
    ///
    /// - Parameter cancellation: asked between row groups; once it is set the session throws
    ///   ``ImageDecodingError/Fault/cancelled``.
    func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession
}

/// The decoding of one file, fed as its bytes arrive.
///
/// Grammar of use: `(append | properties | frames | advance | preview | decode)* finish (properties | frames | decode)*`,
/// in one thread at a time. A session whose file is damaged stays failed: every later call throws the first error
/// again. Damage that concerns later frames only is thrown where such a frame is decoded.
public protocol ImageDecodingSession: AnyObject {
    /// Appends the next bytes of the file. They are held, not copied.
    ///
    /// - Throws: ``ImageDecodingError/Fault/limit`` if the file is longer than `maximumBytes`.
    func append(_ data: Data) throws(ImageDecodingError)

    /// Marks the data as complete. From here on missing bytes are an error, not a wait.
    func finish()

    /// Returns the properties of the file, as far as its bytes have arrived: frames may be added until ``finish()``.
    ///
    /// - Returns: `nil` if the bytes so far do not tell, and more may come.
    func properties() throws(ImageDecodingError) -> ImageProperties?

    /// The frames, pages or images known so far; none before ``properties()`` are known.
    func frames() throws(ImageDecodingError) -> [FrameProperties]

    /// Estimates the most memory that `decode` with these options holds at once, its result included, in bytes.
    ///
    /// Valid once ``properties()`` is known; 0 before.
    func workingBytes(for options: DecodingOptions) -> Int

    /// Turns the bytes that have come into pixels, as far as they go, so that a later `decode` with the same options
    /// has less to do. Options other than the last call's give up what was begun for those.
    ///
    /// - Returns: whether `decode` with these options needs no further bytes. May be true before the file's end.
    func advance(_ options: DecodingOptions) throws(ImageDecodingError) -> Bool

    /// The image as far as the bytes so far tell, with every component of its colors; what has not come is
    /// transparent. Without its last rows an image asked for as `rgb8` comes as `bgra8Premultiplied`.
    ///
    /// - Returns: `nil` if there is nothing to show that an earlier preview with the same options did not show.
    func preview(_ options: DecodingOptions) throws(ImageDecodingError) -> Bitmap?

    /// Decodes one frame.
    ///
    /// - Throws: a frame that is cut short gives an error, not a half image, unless `options.allowsPartial`. Before
    ///   ``finish()`` a frame whose bytes have not all come gives ``ImageDecodingError/Fault/incomplete`` and leaves the
    ///   session as it was.
    func decode(_ options: DecodingOptions) throws(ImageDecodingError) -> Bitmap

    /// How many first bytes of the file the last `decode`, or `advance` that returned `true`, had need of; `nil` if
    /// that is not known. A transfer for nothing but that image could have ended there.
    var bytesNeeded: Int? { get }
}

/// What a simple decoder need not provide.
extension ImageDecodingSession {
    /// One frame, as ``properties()`` has it, complete when the file is.
    public func frames() throws(ImageDecodingError) -> [FrameProperties] {
        guard let properties = try properties() else { return [] }
        return [FrameProperties(size: properties.size, hasAlpha: properties.hasAlpha)]
    }

    /// The default decodes nothing ahead.
    public func advance(_ options: DecodingOptions) throws(ImageDecodingError) -> Bool { false }

    /// The default has no previews.
    public func preview(_ options: DecodingOptions) throws(ImageDecodingError) -> Bitmap? { nil }

    /// The default does not know.
    public var bytesNeeded: Int? { nil }
}
