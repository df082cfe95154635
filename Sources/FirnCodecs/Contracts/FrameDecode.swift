import FirnImage

/// The decode of one frame with one set of options, as far as its bytes have come.
protocol FrameDecode: AnyObject {
    /// Decodes as far as the bytes go.
    ///
    /// - Returns: whether the frame is complete.
    func advance(_ chain: ByteChain, _ watch: DecodingWatch) throws(ImageDecodingError) -> Bool

    /// The frame as far as it has come; `nil` if there is nothing, or, unless `always`, nothing that was not shown before.
    func partial(_ chain: ByteChain, _ watch: DecodingWatch, always: Bool) throws(ImageDecodingError) -> Bitmap?

    /// The complete frame, once ``advance(_:_:)`` returned `true`; to be called once.
    func finish() throws(ImageDecodingError) -> Bitmap

    /// How many first bytes of the file the complete frame had need of; `nil` if that is not known.
    var bytesNeeded: Int? { get }
}
