import FirnImage

/// The decode of one frame with one set of options, as far as its bytes have been received.
protocol FrameDecode: AnyObject {
    /// Decodes as far as the received bytes allow.
    ///
    /// - Returns: whether the frame is complete.
    func advance(_ chain: ByteChain, _ watch: DecodingWatch) throws(ImageDecodingError) -> Bool

    /// Returns the frame as far as it is decoded; `nil` if nothing is decoded, or, unless `always`, nothing new since
    /// the last call.
    func partial(_ chain: ByteChain, _ watch: DecodingWatch, always: Bool) throws(ImageDecodingError) -> Bitmap?

    /// Returns the complete frame. Call it once, after ``advance(_:_:)`` returned `true`.
    func finish() throws(ImageDecodingError) -> Bitmap

    /// The number of first bytes of the file that the complete frame needed; `nil` if that is not known.
    var bytesNeeded: Int? { get }
}
