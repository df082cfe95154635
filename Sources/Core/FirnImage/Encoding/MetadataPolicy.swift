/// The metadata that a copy of a file in another format gets.
package enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
    /// No metadata and no profile: for pixels that were converted to sRGB.
    case nothing
    /// The profile, if colors are not sRGB. The default everywhere, because EXIF data reveal where and by whom an image
    /// was taken.
    case colorProfile
    /// The profile and the EXIF data, with place, time and camera. The orientation becomes 1, the sizes those of the
    /// copy; the thumbnail, which shows the image before the change, is left out.
    case colorProfileAndEXIF

    /// Returns the metadata to write for an image of a file with `properties`.
    package func metadata(of properties: ImageProperties) -> EncodingMetadata {
        EncodingMetadata(
            keepsColorProfile: self != .nothing, exif: self == .colorProfileAndEXIF ? properties.exif : nil)
    }
}
