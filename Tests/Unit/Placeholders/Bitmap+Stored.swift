import FirnImage

extension Bitmap {
    /// The color of a pixel of an image in the screen's layout, as it is stored: multiplied by alpha.
    func stored(_ x: Int, _ y: Int) -> SRGBColor {
        withUnsafeBytes { bytes in
            let at = y * bytesPerRow + x * 4
            return SRGBColor(red: bytes[at + 2], green: bytes[at + 1], blue: bytes[at], alpha: bytes[at + 3])
        }
    }
}
