import CFirnCodecs
import FirnSync
import FoundationEssentials

/// Reads PNG and animated PNG: indexes chunks as they arrive and passes libpng a stream of one image.
///
/// The stream of an animation's frame is generated: the file's header with the frame's size, palette and transparency,
/// and the frame's chunks renamed to IDAT. Their checksums are derived from the stored ones, so that libpng still
/// detects damage, and no byte of the pixels is read twice.
///
/// - Source: PNG (third edition) §11.3.6 and annex D (checksums).
final class PNGReader: FileReader, FormatReader {
    private var scanner = PNGScanner()
    private var areTextsRead = false

    var format: ImageFormat { properties?.format ?? .png }

    var defaultImage: StoredFrame? {
        guard let header = scanner.header, let first = scanner.frames.first, !first.isDefaultImage else { return nil }
        return StoredFrame(
            size: header.size, hasAlpha: hasAlpha(header), isComplete: scanner.isDefaultImageComplete)
    }

    func scan(_ chain: inout ByteChain) throws(ImageError) {
        guard !scanner.isEnded || properties == nil else { return }
        try scanner.scan(chain, limits, ZlibStreams(workers: host.metadata(limits)))
        guard let header = scanner.header, scanner.pixels != nil else {
            if chain.isFinished || scanner.isEnded {
                throw .data(scanner.header == nil ? "cut short before its size" : "cut short before its pixels")
            }
            return
        }
        // If the first frame follows the default image, the properties depend on that frame.
        if scanner.animation != nil, scanner.frames.isEmpty, !scanner.isEnded { return }
        describe(header)
        if scanner.isEnded, !areTextsRead { readTexts(chain) }
    }

    private func readTexts(_ chain: ByteChain) {
        areTextsRead = true
        var texts = properties?.texts ?? [:]
        for (type, content) in scanner.texts {
            guard let bytes = chain.bytes(at: content.lowerBound, count: content.count),
                let text = try? PNGText(type, bytes, most: 0, nil)
            else { continue }
            texts[text.keyword] = texts[text.keyword] ?? String(ofMetadata: text.content)
        }
        properties?.texts = texts
    }

    /// Updates properties and frames to the scanner's state.
    private func describe(_ header: PNGHeader) {
        let isAnimated = !scanner.frames.isEmpty
        if properties == nil {
            var described = ImageProperties(format: isAnimated ? .apng : .png, size: header.size)
            described.bitDepth = header.depth
            described.colorSpace = header.isIndexed ? "indexed" : header.colorType & 2 != 0 ? "rgb" : "gray"
            described.isProgressive = header.isInterlaced
            described.hasAlpha = hasAlpha(header)
            if isAnimated {
                order = FrameOrder(canvas: header.size)
                described.loopCount = scanner.animation?.loops
                described.frameDurations = []
            } else {
                frames = [StoredFrame(size: header.size, hasAlpha: described.hasAlpha)]
            }
            properties = described
        }
        if isAnimated {
            addFrames(hasAlpha: hasAlpha(header))
        } else {
            frames[0].isComplete = scanner.isDefaultImageComplete
        }
        if var described = properties, scanner.metadata.describe(&described) { properties = described }
    }

    private func addFrames(hasAlpha: Bool) {
        let known = frames.count
        for scanned in scanner.frames.dropFirst(known) {
            var frame = scanned.stored
            frame.hasAlpha = hasAlpha
            append(frame)
        }
        // All frames but the last are complete, because another one follows.
        for index in max(0, known - 1)..<frames.count {
            let isLast = index == frames.count - 1
            frames[index].isComplete =
                scanner.frames[index].isDefaultImage
                ? scanner.isDefaultImageComplete : !isLast || scanner.isLastFrameComplete
        }
    }

    /// Returns whether libpng will find transparency.
    private func hasAlpha(_ header: PNGHeader) -> Bool {
        header.colorType & 4 != 0 || scanner.transparency != nil
    }

    // MARK: Pixels

    /// The rows that libpng decodes from one slice of compressed bytes: `MOST_SPILLED` of the decoder.
    private static let waitingBytes = 4 << 20

    func workingBytes(for request: RowRequest) -> Int {
        // Filtered and unfiltered rows, the window, some compressed bytes, and rows that wait for room. The width is
        // below 2^31.
        let size = rowSize(for: request)
        let row = size.width * request.layout.bytesPerPixel
        let waiting = min(row + PNGReader.waitingBytes, row.saturatingMultiply(size.height)) * 2
        return size.width * 8 * 3 + (256 << 10) + waiting
    }

    func rowSize(for request: RowRequest) -> PixelSize {
        frame(request.frame)?.size ?? scanner.header?.size ?? PixelSize(0)
    }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        guard let header = scanner.header, let pixels = scanner.pixels else { return nil }
        let index = request.frame
        let isDefaultImage = !scanner.frames.indices.contains(index) || scanner.frames[index].isDefaultImage
        let size = isDefaultImage ? header.size : frames[index].size
        try limits.check(size)
        let signature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let start = signature + ChunkSum.chunk("IHDR", header.content(for: size))
        var stream = ByteStream(parts: [.made(start)], isComplete: true)
        // Order: transparency follows the palette, whatever their order in the file. A suggested palette is left out,
        // because no pixel uses it.
        if header.isIndexed, let palette = scanner.palette { stream.parts.append(.file(palette)) }
        if let transparency = scanner.transparency { stream.parts.append(.file(transparency)) }
        var chunks = 0
        if isDefaultImage {
            stream.parts.append(.file(pixels..<Int.max))
        } else {
            extend(&stream, with: index, after: &chunks, chain)
        }
        let decoder = try LibraryDecoder(host.open(FIRN_CODEC_PNG, limits), reading: stream)
        guard let output = try decoder.start(request, chain) else { return nil }
        let rows = LibraryRowSource(decoder, output, layout: request.layout)
        guard !isDefaultImage else { return rows }
        // Some of the frame's chunks may not have arrived yet.
        rows.prepare = { [self] chain in
            if !decoder.stream.isComplete { extend(&decoder.stream, with: index, after: &chunks, chain) }
        }
        return rows
    }

    /// Adds the next chunks of a frame to its stream: those after the first `count` whose bytes have all arrived.
    private func extend(_ stream: inout ByteStream, with index: Int, after count: inout Int, _ chain: ByteChain) {
        let data = scanner.frames[index].data
        for chunk in data.dropFirst(count) {
            let end = chunk.pixels + chunk.count
            guard let stored = chain.big(end, 4) else { break }
            let old = FourCharacterCode("fdAT").bytes + chunk.number.bigEndianBytes(4)
            let new = FourCharacterCode("IDAT").bytes
            let sum = firn_crc_exchange(
                UInt32(truncatingIfNeeded: stored), ChunkSum.of(old), ChunkSum.of(new), chunk.count)
            // The length is below 2^31.
            let head = chunk.count.bigEndianBytes(4) + new
            stream.parts += [.made(Data(head)), .file(chunk.pixels..<end), .made(Data(sum.bigEndianBytes(4)))]
            count += 1
        }
        stream.isComplete = count == data.count && (frames[index].isComplete || scanner.isEnded)
    }
}

/// The checksums of PNG chunks.
enum ChunkSum {
    /// Returns a chunk with its length and its checksum.
    static func chunk(_ type: FourCharacterCode, _ content: some Collection<UInt8>) -> Data {
        let body = type.bytes + content
        return Data(content.count.bigEndianBytes(4) + body + of(body).bigEndianBytes(4))
    }

    /// The remainders of all bytes.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(byte) { sum, _ in sum & 1 == 0 ? sum >> 1 : 0xEDB8_8320 ^ sum >> 1 }
    }

    /// Returns the CRC of a few bytes.
    ///
    /// - Source: PNG (third edition) annex D.
    static func of(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ sum >> 8 }
    }
}
