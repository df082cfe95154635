public import FirnImage
public import FoundationEssentials

/// An encoder for tests: it writes files for ``ScriptedDecoder``, counts its calls, and can fail.
///
/// A file holds the size of the image and nothing else; see ``ScriptedDecoder/image(_:)``.
public final class ScriptedEncoder: ImageEncoding {
    /// The calls so far.
    public struct Record: Sendable {
        /// Sizes of the images that were to be encoded, in the order of the calls.
        public internal(set) var sizes: [PixelSize] = []
        /// The metadata of those calls, in the same order.
        public internal(set) var metadata: [EncodingMetadata] = []
    }

    /// The format that the encoder claims to write.
    public let format: ImageFormat
    private let error: ImageError?
    private let state = Watched(Record())

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - format: the format that it claims to write. Default: `test`, the format of ``ScriptedDecoder``.
    ///   - error: the error of every call. Default: no call fails.
    public init(format: ImageFormat = ImageFormat(rawValue: "test"), failingWith error: ImageError? = nil) {
        self.format = format
        self.error = error
    }

    /// The calls so far.
    public var record: Record { state.value }

    /// Waits until the record satisfies a condition, and returns it as it then was.
    ///
    /// The condition must not use the encoder.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable (Record) -> Bool) async -> Record {
        await state.wait(until: isReached)
    }

    /// Writes the size of `image`.
    ///
    /// - Throws: the error that the encoder was created with; ``/FirnImage/ImageError/Fault/cancelled`` if
    ///   `cancellation` is set.
    public func encode(
        _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        state.update { record in
            record.sizes.append(image.size)
            record.metadata.append(metadata)
        }
        if cancellation.isCancelled { throw .init(CancellationError(), at: .encoding, format: format) }
        if let error { throw error }
        return ScriptedDecoder.image(image.size)
    }
}
