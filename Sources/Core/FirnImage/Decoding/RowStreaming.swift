/// A session that passes on the rows of an image while it decodes them, without holding the whole image.
package protocol RowStreaming: ImageDecodingSession {
    /// Returns the bytes that ``streamRows(_:_:)`` holds; `nil` if the frame does not come row by row, or too few bytes
    /// have arrived.
    func streamingBytes(for options: DecodingOptions) throws(ImageDecodingError) -> Int?

    /// Decodes a frame from its first stored row to its last, at full size, and passes the rows on as they are decoded.
    /// Orientation, region and target size of the options do not apply. The file must be complete.
    ///
    /// - Parameter body: gets rows of the requested pixel format, valid during the call. Their number is even, except
    ///   in the last call.
    /// - Throws: ``ImageDecodingError``, or what `body` throws.
    func streamRows(
        _ options: DecodingOptions, _ body: (UnsafeRawPointer, _ bytesPerRow: Int, _ count: Int) throws -> Void
    ) throws
}
