import FoundationEssentials

/// Writes animated PNG files of RGBA pixels chunk by chunk.
struct HandmadeAPNG {
    struct Frame {
        var left = 0
        var top = 0
        var width: Int
        var height: Int
        /// Four bytes a pixel.
        var pixels: [UInt8]
        /// 0 keep, 1 background, 2 previous.
        var disposal = 0
        /// True if the frame is blended over the canvas; otherwise it replaces pixels.
        var blends = false
        var delay = (1, 10)
    }

    var width: Int
    var height: Int
    var frames: [Frame]
    var loops = 0
    /// A default image that is not a frame; if `nil`, the first frame is the default image.
    var poster: [UInt8]?
    /// The number of chunks that hold the pixels of a later frame.
    var pieces = 1
    /// The index of the `fdAT` chunk whose checksum is wrong.
    var damaged: Int?
    /// Chunks between the header and the animation.
    var before: [(String, [UInt8])] = []
    /// True if the first frame's control chunk comes before the chunk acTL.
    var isControlEarly = false
    /// The index of the animation chunk after which a sequence number is left out.
    var gap: Int?

    var data: Data {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes += HandmadePNG.chunk("IHDR", HandmadePNG.big(width, 4) + HandmadePNG.big(height, 4) + [8, 6, 0, 0, 0])
        for (type, content) in before { bytes += HandmadePNG.chunk(type, content) }
        let announcement = HandmadePNG.chunk("acTL", HandmadePNG.big(frames.count, 4) + HandmadePNG.big(loops, 4))
        if !isControlEarly { bytes += announcement }
        var number = 0
        var parts = 0
        func next() -> [UInt8] {
            defer { number += number == gap ? 2 : 1 }
            return HandmadePNG.big(number, 4)
        }
        if let poster { bytes += HandmadePNG.chunk("IDAT", packed(poster, width)) }
        for (index, frame) in frames.enumerated() {
            var control = next()
            for value in [frame.width, frame.height, frame.left, frame.top] { control += HandmadePNG.big(value, 4) }
            control += HandmadePNG.big(frame.delay.0, 2) + HandmadePNG.big(frame.delay.1, 2)
            bytes += HandmadePNG.chunk("fcTL", control + [UInt8(frame.disposal), frame.blends ? 1 : 0])
            if isControlEarly, index == 0 { bytes += announcement }
            let content = packed(frame.pixels, frame.width)
            if index == 0, poster == nil {
                bytes += HandmadePNG.chunk("IDAT", content)
                continue
            }
            let length = max(1, (content.count + pieces - 1) / pieces)
            for start in stride(from: 0, to: content.count, by: length) {
                let piece = Array(content[start..<min(start + length, content.count)])
                bytes += HandmadePNG.chunk("fdAT", next() + piece, isDamaged: parts == damaged)
                parts += 1
            }
        }
        return Data(bytes + HandmadePNG.chunk("IEND", []))
    }

    private func packed(_ pixels: [UInt8], _ width: Int) -> [UInt8] {
        guard width > 0 else { return HandmadePNG.stored([]) }
        let rows = stride(from: 0, to: pixels.count, by: width * 4).flatMap { [0] + pixels[$0..<$0 + width * 4] }
        return HandmadePNG.stored(rows)
    }
}
