/// Reads GIF: indexes blocks as they arrive and decodes frames from their place in the file.
final class GIFReader: FileReader, FormatReader {
    let format = ImageFormat.gif
    private var scanner = GIFScanner()

    func scan(_ chain: inout ByteChain) throws(ImageDecodingError) {
        guard !isEndSeen else { return }
        isEndSeen = chain.isFinished
        try scanner.scan(chain, limits)
        while frames.count < scanner.frames.count { try take(scanner.frames[frames.count]) }
        if frames.isEmpty, scanner.hasTrailer, let screen = scanner.screen {
            // A complete file without image data draws nothing on the screen, and nothing needs decoding.
            try start(canvas: screen, isInterlaced: false)
            append(StoredFrame(size: PixelSize(0), hasAlpha: true, isComplete: true))
        }
        for index in frames.indices.prefix(scanner.completeFrames).reversed() {
            if frames[index].isComplete { break }
            frames[index].isComplete = true
        }
        properties?.loopCount = scanner.loopCount
        properties?.hasOtherTexts = scanner.hasComment
        properties?.mayGainFrames = !isEndSeen
        if let packet = scanner.xmp, properties?.xmp == nil {
            properties?.xmp = chain.bytes(at: packet.lowerBound, count: packet.count)
        }
        if chain.isFinished, frames.isEmpty { throw ImageDecodingError(.data, "holds no frame") }
    }

    /// Adds a frame that the scanner has found.
    private func take(_ found: GIFFrame) throws(ImageDecodingError) {
        let stored = found.stored
        if frames.isEmpty {
            let screen = scanner.screen ?? stored.size
            // A first frame larger than the screen enlarges it, as in other decoders.
            let canvas = PixelSize(
                width: max(screen.width, stored.x + stored.size.width),
                height: max(screen.height, stored.y + stored.size.height))
            try start(canvas: canvas, isInterlaced: found.isInterlaced)
        }
        append(stored)
        if frames.count == 2 { properties?.frameDurations = frames.map { .milliseconds($0.duration ?? 0) } }
    }

    private func start(canvas: PixelSize, isInterlaced: Bool) throws(ImageDecodingError) {
        try limits.check(canvas)
        var properties = ImageProperties(format: .gif, size: canvas)
        properties.colorSpace = "indexed"
        properties.isProgressive = isInterlaced
        self.properties = properties
        order = FrameOrder(canvas: canvas)
    }

    func workingBytes(for request: RowRequest) -> Int { 192 << 10 }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageDecodingError) -> (any RowSource)? {
        guard scanner.frames.indices.contains(request.frame) else { return nil }
        let frame = scanner.frames[request.frame]
        guard let codeSize = chain.byte(at: frame.dataOffset),
            let palette = palette(of: frame, request.layout, chain)
        else {
            if chain.isFinished {
                throw ImageDecodingError(.data, "cut short after row 0 of \(frame.stored.size.height)")
            }
            return nil
        }
        guard let decoder = LZWDecoder(codeSize: codeSize) else {
            throw ImageDecodingError(.data, "declares codes of \(codeSize) bits")
        }
        return GIFRowSource(
            frame, layout: request.layout, palette: palette, decoder: decoder, offset: frame.dataOffset + 1)
    }

    /// Returns the frame's 256 colors, four bytes each in the order of `layout`, the first byte lowest; `nil` if some
    /// have not been received.
    private func palette(of frame: GIFFrame, _ layout: SampleLayout, _ chain: ByteChain) -> [UInt32]? {
        let range = frame.palette.isEmpty ? scanner.palette : frame.palette
        guard let table = chain.bytes(at: range.lowerBound, count: range.count).map({ [UInt8]($0) }) else { return nil }
        return (0..<256).map { index in
            if index == frame.transparentIndex { return 0 }
            // Without any table, the indices are gray levels; beyond a table's end they are black.
            let other = table.isEmpty ? UInt32(clamping: index) : 0
            let samples = (0..<3).map { index * 3 + 2 < table.count ? UInt32(table[index * 3 + $0]) : other }
            let (first, last) = layout == .bgra8 ? (samples[2], samples[0]) : (samples[0], samples[2])
            return 0xFF00_0000 | last << 16 | samples[1] << 8 | first
        }
    }
}
