internal import CFirnCodecs
package import FirnImage

extension Bitmap {
    /// True if every pixel is opaque. Examines the pixels unless `isOpaque` is set.
    package var hasOnlyOpaquePixels: Bool {
        if isOpaque { return true }
        return withUnsafeBytes { bytes in
            firn_layout_opaque(
                layout, bytes.bindMemory(to: UInt8.self).baseAddress, bytesPerRow, UInt32(clamping: size.width),
                UInt32(clamping: size.height))
        }
    }

    /// The C layout with alpha at the same place; it is the same for all 8-bit formats.
    private var layout: firn_layout {
        switch format {
        case .bgra8Premultiplied, .rgba8Straight: FIRN_LAYOUT_RGBA
        case .rgb8: FIRN_LAYOUT_RGB
        case .rgba16Straight: FIRN_LAYOUT_RGBA16
        case .rgbaHalfPremultiplied: FIRN_LAYOUT_RGBA_HALF
        }
    }
}
