/// Reads an icon or cursor file: a directory of images, each a bitmap without file header, or a PNG file.
///
/// Images are frames, best first: more pixels, then more bits per pixel, then file order. The reader ignores sizes and
/// colors in the directory and reads them from the images. Invalid entries are left out, as long as a valid one exists.
///
/// If frame 0 is requested at a smaller size, the reader returns the smallest image that covers that size, of the same
/// shape and with at least as many bits per pixel, because small icons are often drawn separately.
///
/// - Source: Win32 "Icons" (`ICONDIR`, `ICONDIRENTRY`); Windows Vista for PNG entries. A cursor's hot spot is not read.
final class ICOReader: FileReader, FormatReader {
    let format = ImageFormat.ico
    /// The valid images of the directory found so far; best first once all are known.
    private var entries: [IconEntry] = []
    private var entriesRead = 0
    private var failure = ImageError(.data, at: .decoding, "the data is cut short")
    /// The frames that are not complete, the one that ends last first.
    private var unfinished: [(end: Int, frame: Int)] = []
    private var nested: [Int: NestedImage] = [:]

    func scan(_ chain: inout ByteChain) throws(ImageError) {
        if properties == nil {
            guard try readDirectory(chain), let best = entries.first else { return }
            properties = describe(best)
            frames = entries.map { StoredFrame(size: $0.size, hasAlpha: true) }
            unfinished = entries.enumerated().map { ($0.element.range.upperBound, $0.offset) }
                .sorted { $0.end > $1.end }
        }
        while let next = unfinished.last, chain.isFinished || chain.count >= next.end {
            unfinished.removeLast()
            frames[next.frame].isComplete = !chain.isFinished || isWhole(entries[next.frame], chain)
        }
    }

    func page(_ index: Int, _ chain: ByteChain) throws(ImageError) -> ImageProperties? {
        describe(entries[index])
    }

    private func describe(_ entry: IconEntry) -> ImageProperties {
        var properties = ImageProperties(format: .ico, size: entry.size)
        properties.frameCount = entries.count
        properties.hasAlpha = true
        properties.bitDepth = entry.sampleBits
        if entry.bitmap?.isIndexed == true { properties.colorSpace = "indexed" }
        return properties
    }

    /// Returns whether a file that has arrived whole holds an image. The lengths in the directory may be wrong.
    private func isWhole(_ entry: IconEntry, _ chain: ByteChain) -> Bool {
        if let bitmap = entry.bitmap {
            guard let end = try? bitmap.pixelEnd(), let maskEnd = try? bitmap.maskEnd() else { return false }
            // Pixels with alpha need no mask, and some writers leave it out.
            return chain.count >= (bitmap.bitsPerPixel == 32 ? end : maskEnd)
        }
        if chain.count >= entry.range.upperBound { return true }
        let image = image(in: entry.range, chain)
        return (try? image.scan(chain)) != nil && image.reader.frames.first?.isComplete == true
    }

    func workingBytes(for request: RowRequest) -> Int {
        guard let entry = entry(for: request) else { return 0 }
        // A PNG decoder's window and rows, and the PNG's bytes in one piece.
        return entry.bitmap?.bytesPerRow ?? (1 << 16) + entry.range.count + 16 * min(entry.size.width, 1 << 31)
    }

    func rowSize(for request: RowRequest) -> PixelSize {
        entry(for: request)?.size ?? PixelSize(0)
    }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        guard let entry = entry(for: request) else { return nil }
        if let bitmap = entry.bitmap { return try DIBRowSource(bitmap, layout: request.layout, isIcon: true) }
        guard let source = try image(in: entry.range, chain).open(request, chain) else { return nil }
        // The image must have the size in the header by which its entry was chosen.
        guard source.size == entry.size else { throw .data("an entry's PNG changes its size") }
        return source
    }

    private func image(in range: Range<Int>, _ chain: ByteChain) -> NestedImage {
        let image =
            nested[range.lowerBound] ?? NestedImage(.png, in: range, of: chain, limits: limits, host: host)
        nested[range.lowerBound] = image
        return image
    }

    /// Returns the entry that serves a request.
    private func entry(for request: RowRequest) -> IconEntry? {
        guard frames.indices.contains(request.frame) else { return nil }
        let best = entries[request.frame]
        guard request.frame == 0, let least = request.least else { return best }
        // Sides of entries are below 2^32, so the products fit.
        return entries.last {
            $0.size.covers(least) && $0.bitsPerPixel >= best.bitsPerPixel
                && $0.size.width.multipliedFullWidth(by: best.size.height)
                    == best.size.width.multipliedFullWidth(by: $0.size.height)
        } ?? best
    }

    /// Reads the entries and sorts them, best first. Returns `false` while the first bytes of some have not arrived.
    private func readDirectory(_ chain: ByteChain) throws(ImageError) -> Bool {
        guard let count = chain.little(4, 2) else {
            return try chain.waiting(false, else: "the directory is cut short")
        }
        guard count > 0 else { throw .data("an icon file without images") }
        guard count <= limits.maximumFrames else {
            throw .limit("has \(count) images; \(limits.maximumFrames) are allowed", "maximumFrames")
        }
        // Order: in sequence, so that little is read twice however the bytes arrive.
        while entriesRead < count {
            let at = 6 + entriesRead * 16
            guard let length = chain.little(at + 8, 4), let offset = chain.little(at + 12, 4) else {
                if chain.isFinished { break }
                return false
            }
            do throws(ImageError) {
                if let entry = try IconEntry.read(chain, in: offset..<offset + length) {
                    try limits.check(entry.size, states: "has")
                    _ = try entry.bitmap?.pixelEnd()
                    entries.append(entry)
                } else if !chain.isFinished {
                    return false
                }
            } catch {
                failure = error
            }
            entriesRead += 1
        }
        guard !entries.isEmpty else { throw failure }
        // The order of the file stays where nothing else decides.
        entries.sort { ($0.size.area, $0.bitsPerPixel) > ($1.size.area, $1.bitsPerPixel) }
        return true
    }
}

/// One image of an icon file: its range, and its properties as the image itself states them.
struct IconEntry {
    /// The range of the image that the directory states.
    let range: Range<Int>
    /// The header of a bitmap; `nil` for a PNG.
    let bitmap: DIBHeader?
    let size: PixelSize
    /// The stored bits per pixel.
    let bitsPerPixel: Int
    /// The stored bits per sample.
    let sampleBits: Int

    /// Reads an image's first bytes.
    ///
    /// - Returns: `nil` if they have not arrived.
    /// - Throws: ``ImageError`` if it is not an image.
    static func read(_ chain: ByteChain, in range: Range<Int>) throws(ImageError) -> IconEntry? {
        guard let first = chain.bytes(at: range.lowerBound, count: 8) else { return nil }
        // The signature of PNG.
        guard first.elementsEqual([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            guard let header = try DIBHeader.read(chain, at: range.lowerBound, pixelOffset: nil) else { return nil }
            return IconEntry(
                range: range, bitmap: header, size: header.size, bitsPerPixel: header.bitsPerPixel,
                sampleBits: header.sampleBits)
        }
        // The signature, then the chunk IHDR: length, type, width, height, depth, color type (PNG, third edition,
        // §11.2.1).
        let at = range.lowerBound
        guard let width = chain.big(at + 16, 4), let height = chain.big(at + 20, 4),
            let depth = chain.byte(at: at + 24), let type = chain.byte(at: at + 25)
        else { return nil }
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(type)]
        let size = PixelSize(width: width, height: height)
        guard let channels, !size.isEmpty else { throw .data("an entry is no valid PNG") }
        return IconEntry(
            range: range, bitmap: nil, size: size, bitsPerPixel: channels * Int(depth), sampleBits: Int(depth))
    }
}
