public import FoundationEssentials

/// The metadata that an encoder writes beside the pixels.
///
/// An orientation is not written, because the pixels are upright; EXIF data get the orientation 1.
public struct EncodingMetadata: Hashable, Sendable {
    /// True if the profile of an image that is not in sRGB is embedded. Without it, viewers assume sRGB, so other
    /// colors would be wrong. Default: true.
    public var keepsColorProfile: Bool
    /// EXIF data, as in ``ImageProperties/exif``; `nil` for none. Ignored by GIF and in animations. Default: `nil`.
    public var exif: Data?
    /// The resolution; `nil` for none. Written by JPEG, PNG, TIFF and BMP, and to the fields of ``exif`` that state it,
    /// if there are such. WebP, AVIF and JPEG XL have no other place, and get EXIF data for it. Default: `nil`.
    public var resolution: ImageResolution?

    /// Creates metadata. Default: the color profile, and nothing else.
    public init(keepsColorProfile: Bool = true, exif: Data? = nil, resolution: ImageResolution? = nil) {
        self.keepsColorProfile = keepsColorProfile
        self.exif = exif
        self.resolution = resolution
    }
}
