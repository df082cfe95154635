/// Reads a BMP file: a file header of 14 bytes, a bitmap header, and pixels.
///
/// - Source: [MS-WMF] §2.2.2; Win32 `BITMAPFILEHEADER`. The file length in the header is ignored, because it is wrong
///   too often.
final class BMPReader: FileReader, FormatReader {
    let format = ImageFormat.bmp
    private var header: DIBHeader?
    private var nested: NestedImage?

    func scan(_ chain: inout ByteChain) throws(ImageError) {
        if header == nil {
            guard let offset = chain.little(10, 4),
                let parsed = try DIBHeader.read(chain, at: 14, pixelOffset: offset)
            else { return try chain.waiting(else: "the header is cut short") }
            try limits.check(parsed.size, states: "has")
            _ = try parsed.pixelEnd()
            let paletteEnd = parsed.paletteOffset + parsed.paletteCount * parsed.paletteEntryBytes
            guard chain.isFinished || chain.count >= paletteEnd else { return }
            header = parsed
        }
        guard let header else { return }
        if properties == nil {
            properties =
                header.compression == .jpeg || header.compression == .png
                ? try nestedProperties(header, chain) : describe(header, chain)
            if let properties { frames = [StoredFrame(size: properties.size, hasAlpha: properties.hasAlpha)] }
        }
        if !frames.isEmpty, !frames[0].isComplete, !isEndSeen {
            isEndSeen = chain.isFinished
            frames[0].isComplete = try isComplete(header, chain)
        }
    }

    func workingBytes(for request: RowRequest) -> Int {
        guard let header else { return 0 }
        switch header.compression {
        case .jpeg, .png: return nested?.reader.workingBytes(for: request) ?? 0
        case .runs4, .runs8, .runs24: return RunLengthRowSource.stripBytes(header)
        case .none, .masks: return header.bytesPerRow
        }
    }

    func rowSize(for request: RowRequest) -> PixelSize {
        nested?.reader.rowSize(for: request) ?? header?.size ?? PixelSize(0)
    }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        guard let header, request.frame == 0 else { return nil }
        switch header.compression {
        case .jpeg, .png: return try nested?.open(request, chain)
        case .runs4, .runs8, .runs24: return RunLengthRowSource(header, layout: request.layout)
        case .none, .masks: return try DIBRowSource(header, layout: request.layout, isIcon: false)
        }
    }

    private func isComplete(_ header: DIBHeader, _ chain: ByteChain) throws(ImageError) -> Bool {
        switch header.compression {
        // A file may end before the padding of its last row.
        case .none, .masks:
            let padding = chain.isFinished ? header.bytesPerRow - header.rowBytes : 0
            return try chain.count >= header.pixelEnd() - padding
        case .jpeg, .png: return chain.isFinished && nested?.reader.frames.first?.isComplete == true
        case .runs4, .runs8, .runs24: break
        }
        if header.compressedBytes > 0, chain.count - header.pixelOffset >= header.compressedBytes { return true }
        guard chain.isFinished else { return false }
        // The declared length may be wrong. The codes have an end of their own.
        var index = RunLengthIndex(header)
        while let state = index.advance(chain) {
            guard state == .more else { return false }
            try chain.watch.check()
        }
        return true
    }

    /// Returns the properties in the header; `nil` while its profile has not been received.
    private func describe(_ header: DIBHeader, _ chain: ByteChain) -> ImageProperties? {
        var properties = ImageProperties(format: .bmp, size: header.size)
        properties.hasAlpha = header.hasAlpha
        properties.bitDepth = header.sampleBits
        properties.colorSpace = header.isIndexed ? "indexed" : "rgb"
        properties.resolution = header.resolution
        properties.colorDescription = header.colorDescription
        if let (offset, count) = header.profile, count <= limits.maximumProfileBytes {
            if let icc = chain.bytes(at: offset, count: count) {
                properties.colorProfile = ColorProfile(icc: icc)
            } else if !chain.isFinished {
                // The profile follows the pixels in most files; the colors are unknown before it.
                return nil
            }
        }
        return properties
    }

    /// Returns the properties of the embedded JPEG or PNG.
    private func nestedProperties(
        _ header: DIBHeader, _ chain: ByteChain
    ) throws(ImageError) -> ImageProperties? {
        let count = header.compressedBytes > 0 ? header.compressedBytes : Int.max - header.pixelOffset
        let nested =
            self.nested
            ?? NestedImage(
                header.compression == .jpeg ? .jpeg : .png,
                in: header.pixelOffset..<header.pixelOffset + count, of: chain, limits: limits, host: host)
        self.nested = nested
        try nested.scan(chain)
        guard var properties = nested.reader.properties else { return nil }
        properties.format = .bmp
        properties.frameCount = 1
        properties.frameDurations = nil
        properties.loopCount = nil
        properties.resolution = header.resolution ?? properties.resolution
        return properties
    }
}

/// A whole image of another format in a range of a file. Its reader gets the range as a file, without a copy.
final class NestedImage {
    /// The reader of the image.
    let reader: any FormatReader
    private let range: Range<Int>
    private var chain: ByteChain

    /// Creates a reader of the JPEG or PNG image in a range of `file`.
    init(_ format: ImageFormat, in range: Range<Int>, of file: ByteChain, limits: ImageLimits, host: DecoderHost) {
        self.range = range
        chain = ByteChain(watch: file.watch)
        reader = format == .jpeg ? JPEGReader(limits: limits, host: host) : PNGReader(limits: limits, host: host)
    }

    /// Passes the received bytes of the range to the reader.
    func scan(_ file: ByteChain) throws(ImageError) {
        take(file)
        try reader.scan(&chain)
    }

    /// Starts decoding the image.
    func open(_ request: RowRequest, _ file: ByteChain) throws(ImageError) -> (any RowSource)? {
        try scan(file)
        var request = request
        request.frame = 0
        guard reader.properties != nil, !reader.frames.isEmpty, let source = try reader.openFrame(request, chain)
        else { return nil }
        return PartRowSource(source, at: range.lowerBound) { file in
            self.take(file)
            return self.chain
        }
    }

    private func take(_ file: ByteChain) {
        guard !chain.isFinished else { return }
        file.forEachPiece(in: range.dropFirst(chain.count)) { piece, _ in chain.append(piece) }
        if file.isFinished || range.lowerBound + chain.count >= range.upperBound { chain.finish() }
    }
}
