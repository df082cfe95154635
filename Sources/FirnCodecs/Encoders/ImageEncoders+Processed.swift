public import FirnImage
public import FoundationEssentials

extension ImageEncoders {
    /// Stores images that were made from others, to be read again by the same program: quickly written and read, and
    /// without a difference that is seen.
    ///
    /// - opaque images of 8 bits: JPEG of quality 0.95 with all colors (4:4:4);
    /// - images with transparent pixels: lossless WebP without effort;
    /// - images of more than 8 bits, and those with sides that these cannot have: PNG with little effort.
    public struct Processed: ImageEncoding {
        /// Always ``/FirnImage/ImageFormat/jpeg``, which most images are written in.
        public var format: ImageFormat { .jpeg }

        /// Makes an encoder.
        public init() {}

        /// JPEG, WebP or PNG.
        public func format(for image: Bitmap) -> ImageFormat {
            let side = max(image.size.width, image.size.height)
            if image.format.isWide { return .png }
            if image.hasOnlyOpaquePixels { return side <= 65_500 ? .jpeg : .png }
            return side <= 16_383 ? .webp : .png
        }

        /// Encodes `image` in the format that suits it; the flag is looked at as that format's encoder does.
        ///
        /// - Throws: ``/FirnImage/ImageEncodingError`` of that format's encoder.
        public func encode(
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
