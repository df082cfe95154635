import CFirnCodecs
import FoundationEssentials

/// Converts pixels of one layout, in the colors of one source, to sRGB pixels of another layout.
///
/// Safety: the C objects are immutable after creation (lcms2's own cache is off), so several threads may use them at
/// once.
final class ColorTransform: ColorConverting, @unchecked Sendable {
    private let handle: OpaquePointer
    /// True if colors are converted through linear light; otherwise by an ICC profile, or a description that was
    /// converted to a profile.
    private let isLight: Bool

    private init(_ handle: OpaquePointer, isLight: Bool = false) {
        self.handle = handle
        self.isLight = isLight
    }

    deinit { if isLight { firn_light_free(handle) } else { firn_transform_free(handle) } }

    /// Creates a transform.
    ///
    /// - Returns: `nil` if equal layouts need no conversion: the colors are sRGB.
    static func make(_ source: ColorSource, from: SampleLayout, to: SampleLayout) -> ColorTransform? {
        switch source {
        case .profile(let profile): make(ProfileTransform(profile: profile, from: from, to: to))
        case .description(let description): make(description, from: from, to: to)
        }
    }

    private static func make(_ description: ColorDescription, from: SampleLayout, to: SampleLayout) -> ColorTransform? {
        var color = firn_color(description)
        // Half floats need linear light anyway, and lcms2 does not handle absolute luminances.
        if description.isHighDynamicRange || to == .rgbaHalf {
            return firn_light_make(&color, from.library, to.library).map { ColorTransform($0, isLight: true) }
        }
        var handle: OpaquePointer?
        let result = firn_transform_make_described(&color, from.library, to.library, &handle)
        return result == FIRN_COLOR_TRANSFORM ? handle.map { ColorTransform($0) } : nil
    }

    /// Creates a transform.
    ///
    /// - Returns: `nil` if equal layouts need no conversion: the profile is sRGB, or it is unusable and counts as sRGB.
    static func make(_ transform: ProfileTransform) -> ColorTransform? {
        guard let model = transform.model else { return nil }
        var handle: OpaquePointer?
        let result = transform.profile.icc.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: UInt8.self) {
                firn_transform_make(
                    $0.baseAddress, $0.count, model, transform.from.library, transform.to.library, &handle)
            }
        }
        return result == FIRN_COLOR_TRANSFORM ? handle.map { ColorTransform($0) } : nil
    }

    var bytesAtOnce: Int { 0 }

    func apply(_ samples: UnsafeRawPointer, bytesPerRow: Int, to target: PixelBlock) {
        let convert = isLight ? firn_light_rows : firn_transform_rows
        convert(
            handle, samples.assumingMemoryBound(to: UInt8.self), bytesPerRow, target.base, target.bytesPerRow,
            target.width, target.rows)
    }
}

/// Some rows of an image that is being written.
struct PixelBlock {
    /// The first byte of the first row.
    var base: UnsafeMutablePointer<UInt8>
    /// The distance between the starts of two rows, in bytes.
    var bytesPerRow: Int
    /// The number of columns.
    var width: UInt32
    /// The number of rows.
    var rows: UInt32
    /// The pixel format; colors may still be straight.
    var format: PixelFormat

    /// Refers to `rows` of `pixels`.
    init(_ pixels: borrowing MutablePixels, rows: Range<Int>) {
        base = pixels.row(rows.lowerBound).assumingMemoryBound(to: UInt8.self)
        bytesPerRow = pixels.bytesPerRow
        width = UInt32(clamping: pixels.size.width)
        self.rows = UInt32(clamping: rows.count)
        format = pixels.format
    }
}
