import FoundationEssentials

/// Reads GIF: walks over the blocks as they arrive, and decodes frames by their offsets.
///
/// Invariant: every byte before `offset` was parsed. A block is parsed only once its describing bytes have arrived, so
/// any split of the file gives the same result. Damage ends the walk; the frames before it remain.
///
/// - Source: GIF89a specification §17 to §27; the application extensions NETSCAPE2.0 and ANIMEXTS1.0 for repetitions;
///   XMP specification part 3 §1.1.2 for the packet.
final class GIFReader: FileReader, FormatReader {
    let format = ImageFormat.gif
    /// The declared logical screen.
    private var screen = PixelSize(0)
    /// The range of the global color table, three bytes per color; empty if there is none.
    private var palette = 0..<0
    private var gifFrames: [GIFFrame] = []
    private var loopCount: Int?
    /// The range of an XMP packet.
    private var xmp: Range<Int>?
    /// The offset of the first comment's sub-blocks.
    private var comment: Int?
    private var step = Step.signature
    private var offset = 0
    /// The next frame, of which only the control extension has been read.
    private var next = GIFFrame()
    private var pixels = 0

    private enum Step {
        case signature, block, end
        /// Inside sub-blocks, after the first; for an XMP packet with its start.
        case subBlocks(ofFrame: Bool, packet: Int?)
    }

    func scan(_ chain: inout ByteChain) throws(ImageError) {
        guard !isEndSeen else { return }
        isEndSeen = chain.isFinished
        while try advance(chain) { try chain.watch.step() }
        properties?.loopCount = loopCount
        properties?.hasOtherTexts = comment != nil
        if let comment, properties?.texts.isEmpty == true { properties?.texts["Comment"] = text(at: comment, chain) }
        properties?.mayGainFrames = !isEndSeen
        if let xmp, properties?.xmp == nil { properties?.xmp = chain.bytes(at: xmp.lowerBound, count: xmp.count) }
        if chain.isFinished, frames.isEmpty { throw .data("holds no frame") }
    }

    /// Reads the next part. Each of the functions below returns whether its bytes have arrived.
    private func advance(_ chain: ByteChain) throws(ImageError) -> Bool {
        switch step {
        case .signature: try readScreen(chain)
        case .block: try readBlock(chain)
        case .subBlocks(let ofFrame, let packet): try skip(chain, ofFrame: ofFrame, packet: packet)
        case .end: false
        }
    }

    private func readScreen(_ chain: ByteChain) throws(ImageError) -> Bool {
        guard let bytes = chain.bytes(at: 0, count: 13) else {
            return try chain.waiting(false, else: "no GIF signature and screen size")
        }
        let header = [UInt8](bytes)
        guard header.starts(with: "GIF87a".utf8) || header.starts(with: "GIF89a".utf8) else {
            throw .data("no GIF signature and screen size")
        }
        screen = PixelSize(width: header.little(6, 2), height: header.little(8, 2))
        offset = 13 + tableLength(header[10])
        palette = 13..<offset
        step = .block
        return true
    }

    private func readBlock(_ chain: ByteChain) throws(ImageError) -> Bool {
        guard let kind = chain.byte(at: offset) else { return false }
        switch kind {
        case 0x21: return readExtension(chain)
        case 0x2C: return try readDescriptor(chain)
        case 0: offset += 1  // A stray terminator.
        default:
            // The trailer, or damage.
            step = .end
            // A complete file without image data draws nothing on the screen, and nothing needs decoding.
            guard kind == 0x3B, frames.isEmpty else { return true }
            try start(canvas: screen, isInterlaced: false)
            append(StoredFrame(size: PixelSize(0), hasAlpha: true, isComplete: true))
        }
        return true
    }

    /// Reads an extension: a frame's control, the repetitions, or an XMP packet.
    private func readExtension(_ chain: ByteChain) -> Bool {
        guard let label = chain.byte(at: offset + 1), let length = chain.byte(at: offset + 2).map(Int.init),
            let content = chain.bytes(at: offset + 3, count: length)
        else { return false }
        let block = [UInt8](content)
        var packet: Int?
        if label == 0xF9, block.count >= 4 {
            next.stored.duration = block.little(1, 2) * 10
            next.transparentIndex = block[0] & 1 != 0 ? Int(block[3]) : nil
            switch block[0] >> 2 & 7 {
            case 2: next.stored.disposal = .background
            // Early writers used 4 for 3; browsers read it as 3.
            case 3, 4: next.stored.disposal = .previous
            default: next.stored.disposal = .keep
            }
        } else if label == 0xFE {
            comment = comment ?? offset + 2
        } else if label == 0xFF, block.count == 11 {
            if block.elementsEqual("NETSCAPE2.0".utf8) || block.elementsEqual("ANIMEXTS1.0".utf8) {
                guard let loops = chain.bytes(at: offset + 14, count: 4).map({ [UInt8]($0) }) else { return false }
                if loops[0] >= 3, loops[1] == 1 { loopCount = loops.little(2, 2) }
            } else if block.elementsEqual("XMP DataXMP".utf8) {
                packet = offset + 14
            }
        }
        offset += 2
        step = .subBlocks(ofFrame: false, packet: packet)
        return true
    }

    private func readDescriptor(_ chain: ByteChain) throws(ImageError) -> Bool {
        guard let content = chain.bytes(at: offset + 1, count: 9) else { return false }
        let bytes = [UInt8](content)
        guard frames.count < limits.maximumFrames else { throw limits.tooManyFrames }
        let size = PixelSize(width: bytes.little(4, 2), height: bytes.little(6, 2))
        // Both sides are below 2^16 and the number of frames is limited, so the sum cannot overflow.
        pixels += size.area
        guard pixels <= limits.maximumAnimationPixels || frames.isEmpty else {
            step = .end
            return true
        }
        next.stored.x = bytes.little(0, 2)
        next.stored.y = bytes.little(2, 2)
        next.stored.size = size
        next.stored.hasAlpha = next.transparentIndex != nil
        next.isInterlaced = bytes[8] & 0x40 != 0
        next.dataOffset = offset + 10 + tableLength(bytes[8])
        next.palette = offset + 10..<next.dataOffset
        offset = next.dataOffset + 1
        step = .subBlocks(ofFrame: true, packet: nil)
        try add(next)
        next = GIFFrame()
        return true
    }

    private func add(_ frame: GIFFrame) throws(ImageError) {
        let stored = frame.stored
        if frames.isEmpty {
            // A first frame larger than the screen enlarges it, as in other decoders.
            let canvas = PixelSize(
                width: max(screen.width, stored.x + stored.size.width),
                height: max(screen.height, stored.y + stored.size.height))
            try start(canvas: canvas, isInterlaced: frame.isInterlaced)
        }
        gifFrames.append(frame)
        append(stored)
        if frames.count == 2 { properties?.frameDurations = frames.map { .milliseconds($0.duration ?? 0) } }
    }

    private func start(canvas: PixelSize, isInterlaced: Bool) throws(ImageError) {
        try limits.check(canvas)
        var properties = ImageProperties(format: .gif, size: canvas)
        properties.colorSpace = "indexed"
        properties.isProgressive = isInterlaced
        self.properties = properties
        order = FrameOrder(canvas: canvas)
    }

    /// Skips sub-blocks up to the empty one.
    private func skip(_ chain: ByteChain, ofFrame: Bool, packet: Int?) throws(ImageError) -> Bool {
        while let length = chain.byte(at: offset) {
            try chain.watch.step()
            offset += 1 + Int(length)
            guard length == 0 else { continue }
            if ofFrame { frames[frames.count - 1].isComplete = true }
            // The packet is not made of sub-blocks; the 257 bytes after it make every walk over sub-blocks end here.
            if let packet, offset - 258 > packet { xmp = packet..<offset - 258 }
            step = .block
            return true
        }
        return false
    }

    /// Returns the text in sub-blocks; `nil` while some have not arrived.
    private func text(at start: Int, _ chain: ByteChain) -> String? {
        var (place, bytes) = (start, Data())
        while let length = chain.byte(at: place), let block = chain.bytes(at: place + 1, count: Int(length)) {
            if length == 0 || bytes.count > 64 << 10 { return String(ofMetadata: bytes) }
            bytes += block
            place += 1 + Int(length)
        }
        return nil
    }

    /// Returns the bytes of the color table that `flags` declare.
    private func tableLength(_ flags: UInt8) -> Int { flags & 0x80 != 0 ? 3 << (Int(flags & 7) + 1) : 0 }

    // MARK: Pixels

    func workingBytes(for request: RowRequest) -> Int { 192 << 10 }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        guard gifFrames.indices.contains(request.frame) else { return nil }
        let frame = gifFrames[request.frame]
        guard let codeSize = chain.byte(at: frame.dataOffset),
            let palette = palette(of: frame, request.layout, chain)
        else { return try chain.waiting(nil, else: "cut short after row 0 of \(frame.stored.size.height)") }
        guard let decoder = LZWDecoder(codeSize: codeSize) else { throw .data("declares codes of \(codeSize) bits") }
        return GIFRowSource(
            frame, layout: request.layout, palette: palette, decoder: decoder, offset: frame.dataOffset + 1)
    }

    /// Returns the frame's 256 colors, four bytes each in the order of `layout`, the first byte lowest; `nil` if some
    /// have not been received.
    private func palette(of frame: GIFFrame, _ layout: SampleLayout, _ chain: ByteChain) -> [UInt32]? {
        let range = frame.palette.isEmpty ? palette : frame.palette
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

/// One frame of a GIF as described by its descriptor and the control extension before it.
struct GIFFrame {
    /// The place, duration and disposal.
    var stored = StoredFrame(size: PixelSize(0))
    /// The index of transparent pixels, through which the canvas shows.
    var transparentIndex: Int?
    var isInterlaced = false
    /// The range of the frame's own color table, three bytes per color; empty if it has none.
    var palette = 0..<0
    /// The offset of the compressed pixels: the code size, followed by the sub-blocks.
    var dataOffset = 0
}
