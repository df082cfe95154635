internal import FirnImage
internal import FoundationEssentials

/// Updates EXIF data for an image whose pixels were rotated upright, and perhaps cropped or resized.
///
/// The data are changed in place: maker notes hold undocumented offsets, so nothing may move. The orientation becomes
/// 1, and the sizes become the image's. The thumbnail is removed, because it shows the image before the changes.
///
/// Source: EXIF 2.32 §4.6.4 A (0x0100, 0x0101, 0x0112), §4.6.3 (0x8769), §4.6.5 C (0xA002, 0xA003).
enum UprightEXIF {
    /// - Returns: `nil` if `exif` is not EXIF data.
    static func data(_ exif: Data, for size: PixelSize) -> Data? {
        guard var directories = EXIFDirectories(exif) else { return nil }
        // Order: the thumbnail first, because a damaged file may place it anywhere.
        directories.removeThumbnail()
        let first = directories.first
        directories.set(0x0112, to: 1, in: first)
        directories.set(0x0100, to: size.width, in: first)
        directories.set(0x0101, to: size.height, in: first)
        let details = directories.value(0x8769, in: first)
        directories.set(0xA002, to: size.width, in: details)
        directories.set(0xA003, to: size.height, in: details)
        return Data(directories.bytes)
    }
}
