import FirnImage
import FoundationEssentials

/// What stands before the pixels of a stored image.
struct BitmapHeader: Hashable {
    var key: String
    var size: PixelSize
    var format: PixelFormat
    var bytesPerRow: Int
    var isOpaque: Bool
    /// The ICC profile of the pixels; empty for sRGB.
    var profile = Data()
    /// The format of the file that was decoded; empty where it is not known.
    var source = ""
    var originalSize: PixelSize?
    var version: SourceVersion?
    /// When it was stored, in nanoseconds since 1970.
    var created: Int64
    /// Until when the image serves without asking its source again, in nanoseconds since 1970; the largest: always.
    var freshUntil = Int64.max
    /// XXH64 of the pixels.
    var bodyHash: UInt64
    /// Offset of the pixels.
    var length = 0

    /// Bytes of the pixels; `nil` if they cannot be counted.
    var bodyLength: Int? {
        let (count, overflow) = bytesPerRow.multipliedReportingOverflow(by: size.height)
        return overflow ? nil : count
    }
}
