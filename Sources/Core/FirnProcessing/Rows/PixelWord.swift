internal import CFirnProcessing
internal import FirnImage

/// Writes single pixels.
enum PixelWord {
    /// Writes one pixel in the layout of `format`.
    static func store(_ floats: UnsafePointer<Float>, _ pixel: UnsafeMutableRawPointer, _ format: PixelFormat) {
        firn_row_store(format.layout, floats, pixel, 1)
    }

    /// Fills `count` pixels with copies of `pixel`.
    static func fill(_ target: UnsafeMutableRawPointer, with pixel: [UInt8], count: Int) {
        guard count > 0, !pixel.isEmpty else { return }
        pixel.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return }
            target.copyMemory(from: first, byteCount: bytes.count)
        }
        // Doubles the copied part each time.
        var done = 1
        while done < count {
            let part = min(done, count - done)
            (target + done * pixel.count).copyMemory(from: target, byteCount: part * pixel.count)
            done += part
        }
    }
}
