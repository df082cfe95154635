package import FirnImage

extension Bitmap {
    /// Returns the SHA-256 of the image as straight RGBA of 8 bits, rows packed, with R = G = B = 0 wherever A = 0.
    ///
    /// Equal images have equal digests, regardless of the colors of transparent pixels. The digest covers the exact
    /// pixels of straight and opaque 8-bit images. Other images are converted, which rounds.
    ///
    /// - Returns: 64 hexadecimal digits.
    /// - Throws: ``/FirnImage/ImageError`` if there is no memory.
    package func straightDigest() throws -> String {
        let straight = try converted(to: .rgba8Straight)
        let hash = SHA256()
        straight.withUnsafeBytes { bytes in
            for y in 0..<size.height {
                var row = Array(bytes[(y * straight.bytesPerRow)...].prefix(size.width * 4))
                if !straight.isOpaque {
                    for alpha in stride(from: 3, to: row.count, by: 4) where row[alpha] == 0 {
                        for color in alpha - 3..<alpha { row[color] = 0 }
                    }
                }
                row.withUnsafeBytes { hash.update($0) }
            }
        }
        return hash.digest()
    }
}
