public import FirnImage

/// The decoders that come with Firn.
public enum ImageDecoders {
    /// All of them. The order does not matter: no two take the same content.
    public static let standard: [any ImageDecoding] = [
        JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder(), AVIFDecoder(), HEICDecoder(), JXLDecoder(),
        TIFFDecoder(), SVGDecoder(), BMPDecoder(), ICODecoder(), QOIDecoder(),
    ]
}
