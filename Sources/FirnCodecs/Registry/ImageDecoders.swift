public import FirnImage

/// The decoders that come with Firn.
public enum ImageDecoders {
    /// All decoders. Their order does not matter, because no two accept the same content.
    public static let standard: [any ImageDecoding] = [
        JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder(), AVIFDecoder(), HEICDecoder(), JXLDecoder(),
        TIFFDecoder(), SVGDecoder(), BMPDecoder(), ICODecoder(), QOIDecoder(),
    ]
}
