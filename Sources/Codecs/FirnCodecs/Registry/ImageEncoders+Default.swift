public import FirnImage
public import FoundationEssentials

extension ImageEncoders {
    /// Encodes opaque images of 8 bits as JPEG, and images with transparent pixels or more than 8 bits as PNG.
    public struct Default: ImageEncoding {
        /// Always ``/FirnImage/ImageFormat/jpeg``, the format of most images.
        public var format: ImageFormat { .jpeg }
        /// The quality of JPEG files, from 0 to 1.
        public let compressionQuality: Double

        /// Creates an encoder.
        ///
        /// - Parameter compressionQuality: 0 to 1, for JPEG files. Default: 0.85, as in ``JPEGEncoder``.
        public init(compressionQuality: Double = 0.85) { self.compressionQuality = compressionQuality }

        /// Returns JPEG if that loses neither transparency nor bits, otherwise PNG.
        public func format(for image: Bitmap) -> ImageFormat {
            !image.format.isWide && image.hasOnlyOpaquePixels ? .jpeg : .png
        }

        /// Encodes `image` in the format that suits it. Checks the cancellation flag every 16 rows.
        ///
        /// - Throws: ``/FirnImage/ImageEncodingError`` of that format's encoder.
        public func encode(
            _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
        ) throws(ImageEncodingError) -> Data {
            format(for: image) == .jpeg
                ? try JPEGEncoder(quality: compressionQuality).encode(
                    image, metadata: metadata, cancellation: cancellation)
                : try PNGEncoder().encode(image, metadata: metadata, cancellation: cancellation)
        }
    }
}
