/// Which of a file's metadata its copy in another format gets.
package enum MetadataPolicy: String, Hashable, Sendable, CaseIterable {
    /// None, not even a profile: for pixels that were converted to sRGB.
    case nothing
    /// What colors mean, where they are not sRGB. The default everywhere: a copy tells nothing about who took the image,
    /// where, and with what.
    case colorProfile
    /// The profile and the EXIF data, with the place, the time and the camera. Its orientation becomes 1, its sizes those
    /// of the copy; its thumbnail is left out, which would show what the image was before.
    case colorProfileAndEXIF

    /// What is written for an image of a file that has `properties`.
    package func metadata(of properties: ImageProperties) -> EncodingMetadata {
        EncodingMetadata(
            keepsColorProfile: self != .nothing, exif: self == .colorProfileAndEXIF ? properties.exif : nil)
    }
}
