import FirnSync

/// A rectangular part of another source's rows. It drops the rows above and the columns beside, and ends before the
/// rows below.
///
/// Invariant: rows `0..<passed` of the source have been read; rows `0..<next` of the part have been returned.
final class AreaRowSource: RowSource {
    var size: PixelSize { area.size }
    var layout: SampleLayout { source.layout }
    var hasPreviews: Bool { held.hasPreviews }
    var bytesNeeded: Int? { source.bytesNeeded }

    private let area: PixelArea
    private let held: SourceRows
    private var passed = 0
    private var next = 0
    private var source: any RowSource { held.source }

    /// - Parameter area: the part, in the source's rows.
    /// - Throws: ``ImageError/Fault/data`` if the source does not cover the part;
    ///   ``ImageError/Fault/limit`` if the source's whole image must be held and exceeds the limits, or there
    ///   is no memory.
    init(_ source: any RowSource, _ area: PixelArea, limits: ImageLimits) throws(ImageError) {
        guard area.lies(in: source.size) else {
            throw .data("has \(source.size) pixels, which do not hold the part \(area)")
        }
        self.area = area
        held = try SourceRows(source, limits: limits)
    }

    /// Returns the bytes that a source of rows of `size` holds here.
    ///
    /// - Parameter isWhole: whether the source keeps its whole image.
    static func workingBytes(rows size: PixelSize, _ layout: SampleLayout, isWhole: Bool) -> Int {
        let rows = isWhole ? size.height : layout.stripRows(of: size)
        guard let row = layout.rowBytes(width: size.width) else { return Int.max / 8 }
        return min(row.saturatingMultiply(max(0, rows)), Int.max / 8)
    }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        guard next < size.height else { return RowProgress(rows: 0, state: .end) }
        let progress = try source.isWhole ? readWhole(chain) : readStrip(chain, rows: memory.rows)
        let made =
            held.pixels.withPixels { pixels in
                // In a strip, the rows read by this call begin at its first one.
                let first = source.isWhole ? 0 : passed - progress.rows
                let end = min(passed, area.y + size.height, area.y + next + memory.rows)
                var made = 0
                while area.y + next < end {
                    copy(pixels, row: area.y + next - first, to: memory.base + made * memory.bytesPerRow)
                    next += 1
                    made += 1
                }
                return made
            } ?? 0
        if next == size.height { return RowProgress(rows: made, state: .end) }
        if held.hasEnded, passed <= area.y + next {
            throw .data("ends after row \(passed) of \(source.size.height)")
        }
        return RowProgress(rows: made, state: progress.state == .end ? .more : progress.state)
    }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> Bool {
        try held.preview(chain) { whole in
            whole.withPixels { pixels in
                for row in 0..<size.height {
                    copy(pixels, row: area.y + row, to: memory.base + row * memory.bytesPerRow)
                }
            }
        }
    }

    /// Refills the strip: with rows above the part, or with at most `rows` rows of it.
    private func readStrip(_ chain: ByteChain, rows: Int) throws(ImageError) -> RowProgress {
        let progress = try held.read(chain, rows: passed < area.y ? area.y - passed : min(rows, size.height - next))
        passed += progress.rows
        return progress
    }

    /// Continues the whole image, unless the next row is complete.
    private func readWhole(_ chain: ByteChain) throws(ImageError) -> RowProgress {
        guard !held.hasEnded, passed <= area.y + next else { return RowProgress(rows: 0, state: .more) }
        let progress = try held.read(chain)
        passed = held.hasEnded ? source.size.height : max(passed, min(progress.rows, source.size.height))
        return progress
    }

    /// Copies the part's columns of one row.
    private func copy(_ pixels: borrowing MutablePixels, row: Int, to target: UnsafeMutableRawPointer) {
        let pixelBytes = layout.bytesPerPixel
        target.copyMemory(from: pixels.row(row) + area.x * pixelBytes, byteCount: size.width * pixelBytes)
    }
}

/// The rows of an inner file: one embedded in the file, or made from its parts.
final class PartRowSource: RowSource {
    private let source: any RowSource
    private let offset: Int?
    private let part: (ByteChain) -> ByteChain

    /// - Parameters:
    ///   - offset: the offset of an embedded file in the outer one; `nil` (the default) if it is not embedded.
    ///   - part: returns the bytes of the inner file, as far as those of the outer one have been received.
    init(_ source: any RowSource, at offset: Int? = nil, _ part: @escaping (ByteChain) -> ByteChain) {
        self.source = source
        self.offset = offset
        self.part = part
    }

    var size: PixelSize { source.size }
    var layout: SampleLayout { source.layout }
    var isWhole: Bool { source.isWhole }
    var fillsInOrder: Bool { source.fillsInOrder }
    var hasPreviews: Bool { source.hasPreviews }
    var bytesNeeded: Int? { offset.flatMap { offset in source.bytesNeeded.map { offset + $0 } } }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        try source.read(part(chain), into: memory)
    }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> Bool {
        try source.preview(part(chain), into: memory)
    }
}

/// Decodes a part of a frame. If the reader cannot, the whole frame is decoded and the rest is dropped.
extension FormatReader {
    var decodesAreas: Bool { false }

    /// Returns the size of the rows that ``openPart(_:_:limits:)`` would return.
    func partSize(for request: RowRequest) -> PixelSize {
        guard let area = request.area, !decodesAreas else { return rowSize(for: request) }
        return area.size
    }

    /// Returns the width of the rows that are decoded, some of whose pixels may be dropped.
    func decodedWidth(for request: RowRequest) -> Int {
        rowSize(for: decodesAreas ? request : request.whole).width
    }

    /// Returns the bytes that a decode of the requested part holds at once, apart from the image returned.
    func partWorkingBytes(for request: RowRequest) -> Int {
        guard request.area != nil, !decodesAreas else { return workingBytes(for: request) }
        let own = workingBytes(for: request.whole)
        let dropped = AreaRowSource.workingBytes(
            rows: rowSize(for: request.whole), request.layout, isWhole: properties?.isProgressive ?? false)
        return own.saturatingAdd(dropped)
    }

    /// Starts decoding the requested part of a frame; see ``openFrame(_:_:)``.
    func openPart(
        _ request: RowRequest, _ chain: ByteChain, limits: ImageLimits
    ) throws(ImageError) -> (any RowSource)? {
        guard let area = request.area, !decodesAreas else { return try openFrame(request, chain) }
        guard let source = try openFrame(request.whole, chain) else { return nil }
        return try AreaRowSource(source, area, limits: limits)
    }
}

extension RowRequest {
    /// The same request for all pixels of the whole frame; unchanged if no part is requested.
    var whole: RowRequest {
        guard area != nil else { return self }
        var request = self
        request.area = nil
        request.least = nil
        return request
    }
}
