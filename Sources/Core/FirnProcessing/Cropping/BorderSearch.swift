/// Finds the content of an image with a border of one color.
///
/// A pixel is content if the median of a component over the 3 × 3 pixels around it, with the edges repeated, differs
/// from the border by more than the tolerance. This is the case if at least five of the nine differences are above the
/// tolerance, or at least five below. Each pixel therefore becomes six bits, and no sorting is needed. Rows of only
/// border pixels are skipped, and the search from each edge ends at the first content.
///
/// Source: libvips `vips_find_trim`, whose rules imgproxy's option `trim` follows.
struct BorderSearch {
    private let rows: SourceRows
    private let border: SIMD4<Int32>
    private let tolerance: Int32
    /// The number of pixels in the neighborhood that must differ: 5 of 9, or 1 of 1.
    private let isMedian: Bool
    /// The bits of the most recently scanned rows, by row.
    private var lines: [Int: [UInt8]] = [:]

    /// - Parameter color: `nil` for the color of the upper left pixel.
    init(_ rows: SourceRows, color: SRGBColor?, tolerance: Double, keepsLines: Bool) {
        self.rows = rows
        // Differences are integers, so a tolerance of 1.5 equals 1.
        self.tolerance = Int32(tolerance)
        isMedian = !keepsLines
        if let color {
            border = SIMD4(Int32(color.blue), Int32(color.green), Int32(color.red), 0)
        } else {
            border = BorderSearch.pixel(rows.row(0), 0, rows.format)
        }
    }

    /// Returns the columns and rows that contain all content; `nil` if there is no content.
    mutating func content(_ run: ProcessingRun) throws -> (columns: Range<Int>, rows: Range<Int>)? {
        let (width, height) = (rows.size.width, rows.size.height)
        func hasContent(_ y: Int) throws -> Bool {
            if y % 64 == 0 { try run.check() }
            guard let three = neighbors(y) else { return false }
            return (0..<width).contains { isContent($0, three) }
        }
        guard let top = try (0..<height).first(where: hasContent) else { return nil }
        let bottom = try (top..<height).last(where: hasContent) ?? top
        // Scans each row only outside the known content.
        var left = width
        var right = 0
        for y in top...bottom {
            if y % 64 == 0 { try run.check() }
            guard let three = neighbors(y) else { continue }
            if let first = (0..<left).first(where: { isContent($0, three) }) { left = first }
            if let last = (right..<width).last(where: { isContent($0, three) }) { right = last + 1 }
        }
        guard left < right else { return nil }
        return (left..<right, top..<bottom + 1)
    }

    private typealias Neighbors = (above: [UInt8], own: [UInt8], below: [UInt8])

    /// Returns the bits of a row and its neighboring rows; `nil` if all pixels are border.
    private mutating func neighbors(_ y: Int) -> Neighbors? {
        if !isMedian {
            let own = line(y)
            return own.isEmpty ? nil : (own, own, own)
        }
        let three = (line(max(0, y - 1)), line(y), line(min(rows.size.height - 1, y + 1)))
        if three.0.isEmpty, three.1.isEmpty, three.2.isEmpty { return nil }
        return three
    }

    private func isContent(_ x: Int, _ three: Neighbors) -> Bool {
        if !isMedian { return three.own[x] != 0 }
        let (before, after) = (max(0, x - 1), min(rows.size.width - 1, x + 1))
        // One 4-bit digit for each of the six kinds of difference; a sum of nine never carries.
        var sum: UInt32 = 0
        for line in [three.above, three.own, three.below] where !line.isEmpty {
            sum &+= BorderSearch.digits[Int(line[before])] &+ BorderSearch.digits[Int(line[x])]
            sum &+= BorderSearch.digits[Int(line[after])]
        }
        // A digit of 5 or more plus 3 sets the highest bit.
        return (sum &+ 0x33_3333) & 0x88_8888 != 0
    }

    /// Six bits as six 4-bit digits.
    private static let digits: [UInt32] = (0..<64).map { (bits: UInt32) in
        (0..<6).reduce(0) { (digits: UInt32, bit: UInt32) in digits | (bits >> bit & 1) << (4 * bit) }
    }

    /// Returns the bits of a row: for each component, whether it is above and whether it is below the border. Empty if
    /// the whole row is border.
    private mutating func line(_ y: Int) -> [UInt8] {
        if let known = lines[y] { return known }
        if lines.count > 8 { lines = [:] }
        let row = rows.row(y)
        var any: UInt8 = 0
        let bits = [UInt8](unsafeUninitializedCapacity: rows.size.width) { bits, count in
            for x in 0..<rows.size.width {
                let difference = BorderSearch.pixel(row, x, rows.format) &- border
                var value: UInt8 = 0
                for channel in 0..<3 {
                    if difference[channel] > tolerance { value |= 1 << UInt8(channel) }
                    if difference[channel] < -tolerance { value |= 8 << UInt8(channel) }
                }
                bits[x] = value
                any |= value
            }
            count = rows.size.width
        }
        let line = any == 0 ? [] : bits
        lines[y] = line
        return line
    }

    /// Returns blue, green and red of a pixel over magenta.
    private static func pixel(_ row: UnsafeRawPointer, _ x: Int, _ format: PixelFormat) -> SIMD4<Int32> {
        if format == .rgb8 {
            let pixel = row + 3 * x
            func byte(_ index: Int) -> Int32 { Int32(pixel.loadUnaligned(fromByteOffset: index, as: UInt8.self)) }
            return SIMD4(byte(2), byte(1), byte(0), 0)
        }
        let pixel = SIMD4<Int32>(
            truncatingIfNeeded: row.loadUnaligned(fromByteOffset: 4 * x, as: SIMD4<UInt8>.self))
        // Magenta has full red and blue, which show through transparent pixels.
        return SIMD4(pixel.x &+ 255 &- pixel.w, pixel.y, pixel.z &+ 255 &- pixel.w, 0)
    }
}
