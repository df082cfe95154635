public import FoundationEssentials

/// A decoder of one or more formats: recognises content and opens sessions for it.
public protocol ImageDecoding: Sendable {
    /// The format of content that starts with `head`, if this decoder takes it.
    ///
    /// - Parameter head: the first bytes; ``ImageFormat/sniffLength`` of them, or all there are.
    func recognises(_ head: Data) -> ImageFormat?

    /// Starts decoding one file. Neither reads nor allocates pixels.
    ///
    /// - Parameter cancellation: asked between row groups; once it is set the session throws
    ///   ``DecodingError/Fault/cancelled``.
    func makeSession(limits: DecodingLimits, cancellation: CancellationFlag) -> any ImageDecodingSession
}

/// The decoding of one file, fed as its bytes arrive.
///
/// Grammar of use: `append* finish? (properties | workingBytes | decode)*`, in one thread at a time.
/// A failed session stays failed: every later call throws the first error again.
public protocol ImageDecodingSession: AnyObject {
    /// Hands over the next bytes of the file. They are held, not copied, until they are consumed.
    ///
    /// - Throws: ``DecodingError/Fault/limit`` if the file is longer than `maximumBytes`.
    func append(_ data: Data) throws(DecodingError)

    /// Says that no more bytes will come. From here on missing bytes are an error, not a wait.
    func finish()

    /// What the file says of itself.
    ///
    /// - Returns: `nil` if the bytes so far do not tell, and more may come.
    func properties() throws(DecodingError) -> ImageProperties?

    /// An estimate of the most memory that `decode` with these options holds at once, its result included, in bytes.
    ///
    /// Valid once ``properties()`` is known; 0 before.
    func workingBytes(for options: DecodingOptions) -> Int

    /// Decodes one frame. Needs ``finish()``.
    ///
    /// A file that was cut short after its first rows gives an error, not a half picture.
    func decode(_ options: DecodingOptions) throws(DecodingError) -> Bitmap
}
