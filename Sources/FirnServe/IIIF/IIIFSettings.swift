package import FirnImage

/// What an operator configures for IIIF.
package struct IIIFSettings: Equatable, Sendable {
    /// The largest results, and whether regions may be enlarged.
    package var limits = IIIFLimits()
    /// The formats that are written. Level 2 needs JPEG and PNG. Default: these two.
    package var formats: Set<IIIFFormat> = [.jpg, .png]
    /// The side of a tile in `info.json`, in pixels; values below 16 count as 16. Default: 512.
    package var tileSide = 512

    /// The limits of its sources, which are decoded in parts. Default: 2,000 megapixels, 16 GiB.
    package var sources = IIIFSettings.largeSources
    /// The least pixels of an image whose tiles are kept in the cache folder, if its format must be decoded from the
    /// start; 0 for none. Default: 17 megapixels.
    package var tiledPixels = 1 << 24
    /// The bytes of tiles in the cache folder. Default: 8 GiB.
    package var tileBytes = 8 << 30

    package init() {}

    private static var largeSources: ImageLimits {
        var limits = ImageLimits()
        limits.maximumPixels = 2_000_000_000
        limits.maximumBytes = 16 << 30
        return limits
    }
}
