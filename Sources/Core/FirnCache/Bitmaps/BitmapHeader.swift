import FirnData
import FirnImage
import FoundationEssentials

/// The header of a stored bitmap.
struct BitmapHeader: Hashable {
    var key: String
    var size: PixelSize
    var format: PixelFormat
    var bytesPerRow: Int
    var isOpaque: Bool
    /// The ICC profile of the pixels; empty for sRGB.
    var profile = Data()
    /// The format of the decoded file; empty if it is unknown.
    var source = ""
    var originalSize: PixelSize?
    /// The exact size of a vector image.
    var vectorSize: VectorSize?
    var version: SourceVersion?
    /// The time when it was stored, in nanoseconds since 1970.
    var created: Int64
    /// The time until which the image may be used without revalidation, in nanoseconds since 1970. The largest number
    /// means always.
    var freshUntil = Int64.max
    /// XXH64 of the pixels.
    var bodyHash: UInt64
    /// Offset of the pixels.
    var length = 0

    /// The time of the last change of the file; `nil` if it is unknown.
    var changed: Int64? { version.flatMap { $0.changed == 0 ? nil : $0.changed } }

    /// Bytes of the pixels; `nil` if the number overflows.
    var bodyLength: Int? {
        let (count, overflow) = bytesPerRow.multipliedReportingOverflow(by: size.height)
        return overflow ? nil : count
    }
}
