#if GTK
import Firn

/// The image for failures: a cross on red, clearly different from a selected cell.
enum FailureImage {
    private static let side = 96

    /// The image; a plain color if there is no memory for it.
    static let placeholder: ImagePlaceholder = {
        let size = PixelSize(side)
        let image = try? Bitmap(size: size, format: .bgra8Premultiplied, isOpaque: true) { pixels in
            for y in 0..<side {
                let row = pixels.row(y)
                for x in 0..<side {
                    let color: SIMD4<UInt8> = isCross(x, y) ? SIMD4(235, 235, 245, 255) : SIMD4(42, 38, 120, 255)
                    row.storeBytes(of: color, toByteOffset: x * 4, as: SIMD4<UInt8>.self)
                }
            }
        }
        return image.map { .image($0) } ?? .color(SRGBColor(red: 120, green: 38, blue: 42))
    }()

    /// Whether a pixel belongs to the cross: two strokes in the middle third.
    private static func isCross(_ x: Int, _ y: Int) -> Bool {
        let (across, down) = (abs(x - side / 2), abs(y - side / 2))
        return max(across, down) < side / 6 && abs(across - down) < 3
    }
}
#endif
