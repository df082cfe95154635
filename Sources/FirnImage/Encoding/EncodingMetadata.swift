public import FoundationEssentials

/// The metadata that an encoder writes beside the pixels.
///
/// An orientation never is: pixels are upright, and where EXIF data hold one, it is written as 1.
public struct EncodingMetadata: Hashable, Sendable {
    /// Whether the profile of an image that is not in sRGB is embedded. Without it colors look as if they were sRGB, so
    /// only what is sRGB should be written without.
    public var keepsColorProfile: Bool
    /// EXIF data, as in ``ImageProperties/exif``; `nil` for none. Formats without a place for it (GIF) leave it out, and so
    /// do animations.
    public var exif: Data?

    /// Creates metadata. Default: the color profile, and nothing else.
    public init(keepsColorProfile: Bool = true, exif: Data? = nil) {
        self.keepsColorProfile = keepsColorProfile
        self.exif = exif
    }
}
