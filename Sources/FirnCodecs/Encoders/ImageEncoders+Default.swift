public import FirnImage
public import FoundationEssentials

extension ImageEncoders {
    /// Chooses by need: JPEG for opaque images, PNG for those with transparent pixels, and for those of more than 8 bits.
    public struct Default: ImageEncoding {
        /// Always ``/FirnImage/ImageFormat/jpeg``, which most images are written in.
        public var format: ImageFormat { .jpeg }
        /// How much of an opaque image is kept, from 0 to 1.
        public let compressionQuality: Double

        /// Makes an encoder.
        ///
        /// - Parameter compressionQuality: 0 to 1, for what is written as JPEG. Default: 0.85, as ``JPEGEncoder``'s.
        public init(compressionQuality: Double = 0.85) { self.compressionQuality = compressionQuality }

        /// JPEG where that loses neither transparency nor bits, else PNG.
        public func format(for image: Bitmap) -> ImageFormat {
            !image.format.isWide && image.hasOnlyOpaquePixels ? .jpeg : .png
        }

        /// Encodes `image` in the format that suits it; the flag is looked at every 16 rows.
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
