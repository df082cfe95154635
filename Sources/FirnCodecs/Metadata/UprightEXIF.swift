internal import FirnImage
internal import FoundationEssentials

/// EXIF data for an image whose pixels were turned upright, and perhaps cut or resized, since the data were written.
///
/// They are changed in place: a camera's notes hold offsets that nobody else knows, so nothing may move. The orientation
/// becomes 1 and the sizes those of the image; the thumbnail goes, which shows the image as it was.
///
/// Source: EXIF 2.32 §4.6.4 A (0x0100, 0x0101, 0x0112), §4.6.3 (0x8769), §4.6.5 C (0xA002, 0xA003).
enum UprightEXIF {
    /// - Returns: `nil` for data that are none.
    static func data(_ exif: Data, for size: PixelSize) -> Data? {
        guard var directories = EXIFDirectories(exif) else { return nil }
        // Order: first, because a thumbnail may be said to lie anywhere.
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
