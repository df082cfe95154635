import CFirnCodecs
import FirnImage
import FoundationEssentials

/// A colour profile, made ready to bring pixels of one layout to sRGB.
///
/// Safety: `handle` is not written to after it was made (lcms2's own cache is off), so any threads may use it at once.
final class ColorTransform: @unchecked Sendable {
    private let handle: OpaquePointer
    private let model: ColorProfile.Model

    private init(handle: OpaquePointer, model: ColorProfile.Model) {
        self.handle = handle
        self.model = model
    }

    deinit { firn_transform_free(handle) }

    /// Makes a transform.
    ///
    /// - Returns: `nil` if there is nothing to do: the profile is sRGB's, or it is unusable.
    static func make(_ profile: ColorProfile, layout: firn_layout) -> ColorTransform? {
        let model: firn_model
        switch profile.model {
        case .gray: model = FIRN_MODEL_GRAY
        case .rgb: model = FIRN_MODEL_RGB
        case .cmyk: model = FIRN_MODEL_CMYK
        case .lab: return nil
        }
        var handle: OpaquePointer?
        let result = profile.icc.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: UInt8.self) {
                firn_transform_make($0.baseAddress, $0.count, model, layout, &handle)
            }
        }
        guard result == FIRN_COLOUR_TRANSFORM, let handle else { return nil }
        return ColorTransform(handle: handle, model: profile.model)
    }

    /// Brings pixels of `block` to sRGB where they are; for grey and RGB profiles.
    func apply(to block: PixelBlock) {
        if model == .gray {
            firn_pixels_map_gray(
                block.base, block.bytesPerRow, block.width, block.rows, UInt32(block.format.bytesPerPixel),
                block.format == .bgra8Premultiplied ? 2 : 0, firn_transform_gray(handle))
        } else {
            firn_transform_rows(
                handle, block.base, block.bytesPerRow, block.base, block.bytesPerRow, block.width, block.rows)
        }
    }

    /// Fills `block` with the colours of `inks`, four bytes a pixel, rows packed; for CMYK profiles.
    func apply(inks: UnsafePointer<UInt8>, to block: PixelBlock) {
        firn_transform_rows(
            handle, inks, Int(block.width) * 4, block.base, block.bytesPerRow, block.width, block.rows)
    }
}

/// Some rows of a picture that is being made.
struct PixelBlock {
    /// First byte of the first of the rows.
    var base: UnsafeMutablePointer<UInt8>
    /// Distance between the starts of two rows, in bytes.
    var bytesPerRow: Int
    /// Columns.
    var width: UInt32
    /// Number of rows.
    var rows: UInt32
    /// Layout of a pixel; colours may be straight still.
    var format: PixelFormat
}
