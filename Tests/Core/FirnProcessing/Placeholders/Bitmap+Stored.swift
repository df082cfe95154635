import FirnImage

extension Bitmap {
    /// Returns the stored color of a pixel in the layout `bgra8Premultiplied`.
    func stored(_ x: Int, _ y: Int) -> SRGBColor {
        withUnsafeBytes { bytes in
            let at = y * bytesPerRow + x * 4
            return SRGBColor(red: bytes[at + 2], green: bytes[at + 1], blue: bytes[at], alpha: bytes[at + 3])
        }
    }
}
