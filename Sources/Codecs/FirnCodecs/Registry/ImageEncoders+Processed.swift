package import FirnImage
package import FoundationEssentials

extension ImageEncoders {
    /// Encodes processed images for a cache: fast to write and read, without a visible difference.
    ///
    /// - Opaque images of 8 bits: JPEG of quality 0.95 with full chroma (4:4:4).
    /// - Images with transparent pixels: lossless WebP at the lowest effort.
    /// - Images of more than 8 bits, and those with sides too long for these formats: PNG at low compression.
    package struct Processed: ImageEncoding {
        /// Always ``/FirnImage/ImageFormat/jpeg``, the format of most images.
        package var format: ImageFormat { .jpeg }

        /// Creates an encoder.
        package init() {}

        /// Returns JPEG, WebP or PNG.
        package func format(for image: Bitmap) -> ImageFormat {
            let side = max(image.size.width, image.size.height)
            if image.format.isWide { return .png }
            if image.hasOnlyOpaquePixels { return side <= 65_500 ? .jpeg : .png }
            return side <= 16_383 ? .webp : .png
        }

        /// Encodes `image` in the format that suits it. Checks the cancellation flag as often as that format's encoder
        /// does.
        ///
        /// - Throws: ``/FirnImage/ImageEncodingError`` of that format's encoder.
        package func encode(
            _ image: Bitmap, metadata: EncodingMetadata, cancellation: CancellationFlag
        ) throws(ImageEncodingError) -> Data {
            switch format(for: image) {
            case .jpeg:
                try JPEGEncoder(quality: 0.95, chroma: .full).encode(
                    image, metadata: metadata, cancellation: cancellation)
            case .webp:
                try WebPEncoder(lossless: true, effort: 0).encode(image, metadata: metadata, cancellation: cancellation)
            default: try PNGEncoder(compressionLevel: 1).encode(image, metadata: metadata, cancellation: cancellation)
            }
        }
    }
}
