package import FirnImage

extension Bitmap {
    /// Returns the SHA-256 of the image as straight RGBA of 8 bits, rows packed, with R = G = B = 0 wherever A = 0.
    ///
    /// Equal images have equal digests, whatever the colors of transparent pixels. The digest is of the exact pixels
    /// for straight and opaque images of 8 bits. Other images are converted, which rounds.
    ///
    /// - Returns: 64 hexadecimal digits.
    /// - Throws: ``/FirnImage/BitmapError`` if there is no memory.
    package func straightDigest() throws -> String {
        let straight = try converted(to: .rgba8Straight)
        let hash = SHA256()
        var row = [UInt8](repeating: 0, count: size.width * 4)
        straight.withUnsafeBytes { bytes in
            for y in 0..<size.height {
                let start = y * straight.bytesPerRow
                row.withUnsafeMutableBytes { row in
                    row.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + row.count]))
                    if !straight.isOpaque { Bitmap.clearTransparent(row) }
                    hash.update(UnsafeRawBufferPointer(row))
                }
            }
        }
        return hash.digest()
    }

    private static func clearTransparent(_ row: UnsafeMutableRawBufferPointer) {
        var alpha = 3
        while alpha < row.count {
            if row[alpha] == 0 {
                row[alpha - 1] = 0
                row[alpha - 2] = 0
                row[alpha - 3] = 0
            }
            alpha += 4
        }
    }
}
