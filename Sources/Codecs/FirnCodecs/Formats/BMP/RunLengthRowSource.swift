import FirnSync

/// The rows of a run-length encoded bitmap, strip by strip.
final class RunLengthRowSource: RowSource {
    let layout: SampleLayout
    private let header: DIBHeader
    private let pixelBytes: Int
    private var index: RunLengthIndex
    private var packer: DIBRowPacker?
    /// The current strip, one or three bytes per pixel.
    private var strip: [UInt8] = []
    private var stripNumber: Int?
    private var next = 0
    private var rowsShown = 0

    init(_ header: DIBHeader, layout: SampleLayout) {
        var header = header
        // The packer converts the strip's values, one byte each, or three with 24 bits.
        header.bitsPerPixel = header.compression == .runs24 ? 24 : 8
        self.header = header
        self.layout = layout
        pixelBytes = header.bitsPerPixel / 8
        index = RunLengthIndex(header)
    }

    var size: PixelSize { header.size }
    var hasPreviews: Bool { !header.isTopDown }
    var bytesNeeded: Int? { index.position }

    /// Returns the bytes of a strip, clamped on overflow.
    static func stripBytes(_ header: DIBHeader) -> Int {
        let rows = min(RunLengthIndex(header).rowsPerStrip, header.size.height)
        return header.size.width.saturatingMultiply(rows * 3)
    }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        guard next < size.height else { return RowProgress(rows: 0, state: .end) }
        let state = index.advance(chain)
        // In a bottom-up file, the first row is known when all are.
        let known = header.isTopDown ? index.rowsReached : index.isComplete ? size.height : 0
        let count = min(memory.rows, known - next)
        guard count > 0 else { return RowProgress(rows: 0, state: state ?? .needsBytes) }
        for row in 0..<count { writeRow(next + row, chain, to: memory.row(row)) }
        next += count
        return RowProgress(rows: count, state: next == size.height ? .end : .more)
    }

    func preview(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> Bool {
        _ = index.advance(chain)
        let there = index.rowsReached
        guard there > 0 else { return false }
        stripNumber = nil
        for y in size.height - there..<size.height { writeRow(y, chain, to: memory.row(y)) }
        stripNumber = nil
        defer { rowsShown = there }
        return there > rowsShown || chain.isFinished
    }

    /// Writes row `y`, which the index has reached.
    private func writeRow(_ y: Int, _ chain: ByteChain, to target: UnsafeMutableRawBufferPointer) {
        let packer = self.packer ?? DIBRowPacker(header, chain, layout: layout, isOpaque: true)
        self.packer = packer
        let stored = header.isTopDown ? y : size.height - 1 - y
        let number = stored / index.rowsPerStrip
        if stripNumber != number {
            // A strip has about 1/4,096 of the image's pixels, or 16 rows. Both are within the limit that was checked.
            strip = [UInt8](repeating: 0, count: size.width * pixelBytes * min(index.rowsPerStrip, size.height))
            var values = strip.mutableSpan
            index.decode(strip: number, chain, to: &values)
            stripNumber = number
        }
        let rowBytes = size.width * pixelBytes
        let start = (stored - number * index.rowsPerStrip) * rowBytes
        let strip = strip
        packer.pack(strip.span.bytes.extracting(start..<start + rowBytes), to: target)
    }
}

/// An index of the rows of a run-length encoded bitmap, so that rows stored from the bottom can be returned from the
/// top without an image in memory.
///
/// Data structure: rows, in stored order, are grouped into at most 4,096 strips of equal height. For each strip, the
/// index stores the state of the walk when it first reached the strip's rows or later ones. Decoding a strip resumes
/// from that state.
///
/// Invariant: `starts[i].row >= i * rowsPerStrip`.
struct RunLengthIndex {
    private static let strips = 4_096
    private static let codesAtOnce = 1 << 20

    /// The rows of a strip; the last may have fewer.
    let rowsPerStrip: Int
    private var starts: [RunLengthCodes]
    private var walk: RunLengthCodes
    /// True if the walk has ended.
    private(set) var isComplete = false
    private let height: Int

    init(_ header: DIBHeader) {
        height = header.size.height
        rowsPerStrip = max(16, (height - 1) / RunLengthIndex.strips + 1)
        walk = RunLengthCodes(header)
        starts = [walk]
    }

    /// The number of rows, in stored order, that no further byte changes.
    var rowsReached: Int { isComplete ? height : min(walk.row, height) }

    /// The offset after the last code read.
    var position: Int { walk.position }

    /// Continues the walk.
    ///
    /// - Returns: the state that the row source returns; `nil` once the walk is complete.
    mutating func advance(_ chain: ByteChain) -> RowProgress.State? {
        guard !isComplete else { return nil }
        for _ in 0..<RunLengthIndex.codesAtOnce {
            switch walk.step(chain) {
            case .more:
                while starts.count * rowsPerStrip <= walk.row, starts.count * rowsPerStrip < height {
                    starts.append(walk)
                }
            case .end:
                isComplete = true
                return nil
            case .needsBytes:
                // Some writers omit the end-of-image code.
                isComplete = walk.isFull && chain.isFinished
                return isComplete ? nil : .needsBytes
            }
        }
        return .more
    }

    /// Decodes a strip as far as the walk has reached; rows without codes stay unchanged.
    ///
    /// - Parameter target: zeroed; one byte per pixel (three with 24 bits), rows packed.
    func decode(strip: Int, _ chain: ByteChain, to target: inout MutableSpan<UInt8>) {
        guard strip >= 0, strip < starts.count else { return }
        var walk = starts[strip]
        let first = strip * rowsPerStrip
        while walk.row < first + rowsPerStrip, walk.step(chain, first: first, &target) == .more {}
    }
}

/// Walks over the codes of a run-length encoded bitmap.
///
/// A code has two bytes. `n v`, n > 0: n pixels of the value v (with 4 bits: two alternating values, a half byte each;
/// with 24 bits: a pixel of three bytes). `0 0`: end of the row. `0 1`: end of the image. `0 2`: four bytes, the
/// numbers of pixels and rows to skip, which keep palette index 0. `0 n`, n > 2: n values follow, padded to an even
/// number of bytes.
///
/// Invariant: `x` is at most the width; pixels beyond a row's end are dropped. `row` counts in stored order and never
/// decreases.
///
/// - Source: [MS-WMF] §3.1.6; OS/2 Toolkit for 24 bits.
struct RunLengthCodes {
    private let bits: Int
    private let width: Int
    private let height: Int
    /// The offset of the next code in the file.
    private(set) var position: Int
    private(set) var x = 0
    private(set) var row = 0
    private var window = ByteWindow()

    init(_ header: DIBHeader) {
        bits = header.compression == .runs4 ? 4 : header.compression == .runs24 ? 24 : 8
        width = header.size.width
        height = header.size.height
        position = header.pixelOffset
    }

    /// True if every pixel has been passed, so that only the end can follow.
    var isFull: Bool { row >= height || (row == height - 1 && x >= width) }

    /// Reads one code without writing its pixels.
    mutating func step(_ chain: ByteChain) -> RowProgress.State {
        var nothing = MutableSpan<UInt8>()
        return step(chain, first: 0, &nothing)
    }

    /// Reads one code. Writes its pixels that lie in the rows of `target`, which begin at row `first`.
    ///
    /// - Parameter target: one byte per pixel (three with 24 bits), rows packed.
    mutating func step(_ chain: ByteChain, first: Int, _ target: inout MutableSpan<UInt8>) -> RowProgress.State {
        guard row < height else { return .end }
        guard let count = window.byte(at: position, in: chain), let second = window.byte(at: position + 1, in: chain)
        else { return .needsBytes }
        if count > 0 { return pixels(Int(count), at: position + 1, isRun: true, chain, first, &target) }
        switch second {
        case 0:
            row += 1
            x = 0
            position += 2
        case 1:
            return .end
        case 2:
            guard let right = window.byte(at: position + 2, in: chain),
                let on = window.byte(at: position + 3, in: chain)
            else { return .needsBytes }
            x = min(width, x + Int(right))
            row += Int(on)
            position += 4
        default:
            return pixels(Int(second), at: position + 2, isRun: false, chain, first, &target)
        }
        return .more
    }

    /// Reads pixels whose values begin at `start`.
    ///
    /// - Parameter isRun: whether all have the same value, or the same two; otherwise each has its own, and the values
    ///   are padded.
    private mutating func pixels(
        _ count: Int, at start: Int, isRun: Bool, _ chain: ByteChain, _ first: Int, _ target: inout MutableSpan<UInt8>
    ) -> RowProgress.State {
        let pixelBytes = bits == 24 ? 3 : 1
        let bytes = isRun ? pixelBytes : bits == 4 ? (count + 1) / 2 : count * pixelBytes
        // Order: checks the last byte first, so that an incomplete code is not started. The padding may be missing at
        // the end of a file.
        guard window.byte(at: start + bytes - 1, in: chain) != nil else { return .needsBytes }
        let shown = min(count, width - x)
        if !target.isEmpty {
            for pixel in 0..<shown {
                for part in 0..<pixelBytes {
                    let place = isRun ? part : bits == 4 ? pixel / 2 : pixel * pixelBytes + part
                    guard let byte = window.byte(at: start + place, in: chain) else { return .needsBytes }
                    let value = bits == 4 ? (pixel % 2 == 0 ? byte >> 4 : byte & 15) : byte
                    // `row` is not before `first`; values after the target are dropped.
                    let index = ((row &- first) &* width &+ x &+ pixel) &* pixelBytes &+ part
                    if index >= 0, index < target.count { target[index] = value }
                }
            }
        }
        x += shown
        position = start + (isRun ? bytes : (bytes + 1) / 2 * 2)
        return .more
    }
}

/// Reads single bytes of a chain that are close together, without a search for each.
///
/// Invariant: `bytes` are those of the file from `start` on.
struct ByteWindow {
    private static let length = 1 << 16

    private var bytes: [UInt8] = []
    private var start = 0

    /// Returns the byte at `offset`; `nil` if it has not been received.
    mutating func byte(at offset: Int, in chain: ByteChain) -> UInt8? {
        let place = offset &- start
        if place >= 0, place < bytes.count { return bytes[place] }
        guard offset >= 0, offset < chain.count else { return nil }
        let piece = chain.piece(at: offset, before: offset + min(ByteWindow.length, chain.count - offset))
        // Codes have few bytes each, and reading them takes longer than the copy.
        guard chain.watch.count(piece.count >> 9) else { return nil }
        bytes = Array(piece)
        start = offset
        return bytes.first
    }
}
