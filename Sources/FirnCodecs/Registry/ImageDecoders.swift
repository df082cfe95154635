public import FirnImage

/// The decoders that come with Firn.
public enum ImageDecoders {
    /// All decoders of this build. The order does not matter: no two take the same content.
    public static let standard: [any ImageDecoding] = byFormat.map(\.1)

    private static let byFormat: [(ImageFormat, any ImageDecoding)] = [
        (.jpeg, JPEGDecoder()), (.png, PNGDecoder()), (.webp, WebPDecoder()), (.gif, GIFDecoder()),
        (.avif, AVIFDecoder()), (.heic, HEICDecoder()), (.jxl, JXLDecoder()), (.tiff, TIFFDecoder()),
        (.svg, SVGDecoder()), (.bmp, BMPDecoder()), (.ico, ICODecoder()), (.qoi, QOIDecoder()),
    ]

    /// The decoders of some formats: for programs that accept no others.
    ///
    /// - Parameter formats: the formats; APNG comes with PNG. A format that Firn has no decoder of is left out.
    public static func decoders(for formats: Set<ImageFormat>) -> [any ImageDecoding] {
        byFormat.filter { formats.contains($0.0) || ($0.0 == .png && formats.contains(.apng)) }.map(\.1)
    }
}
