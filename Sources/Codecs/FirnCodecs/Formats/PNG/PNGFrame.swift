import FirnImage

/// One frame of an animated PNG.
struct PNGFrame {
    /// The place, duration, disposal and blending.
    var stored: StoredFrame
    /// The `fdAT` chunks that hold the frame's pixels; none if the default image is the frame.
    var data: [DataChunk] = []
    /// True if the IDAT chunks hold the frame's pixels.
    var isDefaultImage = false

    /// The place of an `fdAT` chunk.
    struct DataChunk {
        /// The first byte after the sequence number.
        var pixels: Int
        /// Bytes after the sequence number.
        var count: Int
        /// The sequence number.
        var number: UInt32
    }

    /// Parses an fcTL chunk, without its sequence number.
    ///
    /// - Source: PNG (third edition) §11.3.6.2.
    init(_ content: [UInt8]) {
        func number(_ offset: Int, _ size: Int) -> Int {
            offset + size <= content.count ? content.big(offset, size) : 0
        }
        let denominator = number(18, 2) == 0 ? 100 : number(18, 2)
        stored = StoredFrame(
            x: number(8, 4), y: number(12, 4), size: PixelSize(width: number(0, 4), height: number(4, 4)),
            duration: (number(16, 2) * 1000 + denominator / 2) / denominator,
            disposal: [1: StoredFrame.Disposal.background, 2: .previous][number(20, 1)] ?? .keep,
            blends: number(21, 1) == 1)
    }
}
