import FirnImage
import FirnProcessing
import Testing

@testable import FirnCodecs

@Suite struct AreaReducerTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    /// Returns samples with noise in the lower bits and slopes in the upper ones.
    private func samples(_ count: Int, seed: Int = 1) -> [UInt8] {
        var state = UInt32(truncatingIfNeeded: seed &* 2_654_435_761 | 1)
        return (0..<count).map { index in
            state ^= state << 13
            state ^= state >> 17
            state ^= state << 5
            return UInt8(truncatingIfNeeded: index / 5 + Int(state & 127))
        }
    }

    /// Computes averages in double precision, from the definition: the area that old and new pixels share.
    private func reference(
        _ values: [Double], _ from: PixelSize, _ to: PixelSize, channels: Int
    ) -> [Double] {
        func shares(_ index: Int, _ old: Int, _ new: Int) -> [(Int, Double)] {
            let (low, high) = (Double(index * old) / Double(new), Double((index + 1) * old) / Double(new))
            return (0..<old).compactMap { place in
                let shared = min(high, Double(place + 1)) - max(low, Double(place))
                return shared > 0 ? (place, shared / (high - low)) : nil
            }
        }
        let columns = (0..<to.width).map { shares($0, from.width, to.width) }
        return (0..<to.height).flatMap { y -> [Double] in
            let rows = shares(y, from.height, to.height)
            return columns.flatMap { columns -> [Double] in
                (0..<channels).map { channel -> Double in
                    rows.reduce(0.0) { (sum: Double, row: (Int, Double)) -> Double in
                        columns.reduce(sum) { (sum: Double, column: (Int, Double)) -> Double in
                            let place = (row.0 * from.width + column.0) * channels + channel
                            return sum + row.1 * column.1 * values[place]
                        }
                    }
                }
            }
        }
    }

    private func reduce(
        _ bytes: [UInt8], _ from: PixelSize, _ to: PixelSize, _ layout: SampleLayout, isOpaque: Bool, strip: Int = 5
    ) throws -> [UInt8] {
        let reducer = try AreaReducer(from: from, to: to, layout: layout, isOpaque: isOpaque)
        let (row, newRow) = (from.width * layout.bytesPerPixel, to.width * layout.bytesPerPixel)
        var result = [UInt8](repeating: 0, count: newRow * to.height)
        var made = 0
        bytes.withUnsafeBytes { bytes in
            result.withUnsafeMutableBytes { result in
                guard let start = bytes.baseAddress, let target = result.baseAddress else { return }
                for first in stride(from: 0, to: from.height, by: strip) {
                    // No more rows than there is room for, as every caller of a reducer ensures.
                    let count = min(strip, from.height - first)
                    var taken = 0
                    while taken < count {
                        let some = min(count - taken, max(1, to.height - made))
                        made += reducer.add(
                            start + (first + taken) * row, bytesPerRow: row, count: some,
                            into: target + min(made, to.height - 1) * newRow, bytesPerRow: newRow)
                        taken += some
                    }
                }
            }
        }
        #expect(made == to.height)
        return result
    }

    @Test(arguments: [
        (PixelSize(width: 40, height: 30), PixelSize(width: 10, height: 10)),
        (PixelSize(width: 41, height: 37), PixelSize(width: 7, height: 11)),
        (PixelSize(width: 23, height: 600), PixelSize(width: 22, height: 1)),
        (PixelSize(width: 9, height: 9), PixelSize(width: 9, height: 8)),
        (PixelSize(width: 300, height: 2), PixelSize(width: 1, height: 2)),
        (PixelSize(width: 1, height: 1), PixelSize(width: 1, height: 1)),
    ])
    func `averages are exact to half a level and a bit`(from: PixelSize, to: PixelSize) throws {
        for layout in [SampleLayout.rgb8, .bgra8, .cmyk8] {
            let bytes = samples(from.width * from.height * layout.bytesPerPixel)
            let exact = reference(bytes.map { Double($0) }, from, to, channels: layout.bytesPerPixel)
            let result = try reduce(bytes, from, to, layout, isOpaque: true)
            let worst = zip(exact, result).map { abs($0 - Double($1)) }.max() ?? 0
            #expect(worst < 0.502, "\(layout): \(worst)")
        }
    }

    @Test func `flat images do not change at any factor`() throws {
        for value in [0, 1, 127, 254, 255] as [UInt8] {
            let bytes = [UInt8](repeating: value, count: 57 * 43 * 3)
            let result = try reduce(bytes, size(57, 43), size(11, 13), .rgb8, isOpaque: true)
            #expect(result.allSatisfy { $0 == value })
        }
    }

    @Test func `straight colors count by their alpha`() throws {
        let (from, to) = (size(31, 29), size(6, 5))
        var bytes = samples(from.width * from.height * 4)
        for index in stride(from: 3, to: bytes.count, by: 12) { bytes[index] = 0 }
        for index in 0..<from.width * 4 * 7 where index % 4 == 3 { bytes[index] = 0 }
        var values = bytes.map { Double($0) }
        for index in values.indices where index % 4 != 3 { values[index] *= values[index | 3] }
        let exact = reference(values, from, to, channels: 4)
        let result = try reduce(bytes, from, to, .bgra8, isOpaque: false)
        for index in result.indices {
            let alpha = exact[index | 3]
            let expected = index % 4 == 3 ? alpha : (alpha < 0.5 ? 0 : exact[index] / alpha)
            #expect(abs(expected - Double(result[index])) < 0.502)
        }
    }

    @Test func `16-bit words and half floats are averaged at their precision`() throws {
        let (from, to) = (size(20, 33), size(7, 10))
        let words = samples(from.width * from.height * 8).chunked.map { index, value in
            index % 4 == 3 ? max(value, 1) : value
        }
        var values = words.map { Double($0) }
        for index in values.indices where index % 4 != 3 { values[index] *= values[index | 3] }
        let exact = reference(values, from, to, channels: 4)
        let result = try reduce(inMemory(words), from, to, .rgba16, isOpaque: false).chunked
        for (index, value) in result {
            let expected = index % 4 == 3 ? exact[index] : exact[index] / exact[index | 3]
            #expect(abs(expected - Double(value)) < 0.55)
        }
        let halves = words.enumerated().map { index, word in
            Float16(index % 4 == 3 ? 1 : Double(word) / 20_000).bitPattern
        }
        let numbers = halves.map { Double(Float16(bitPattern: $0)) }
        let averages = reference(numbers, from, to, channels: 4)
        for (index, value) in try reduce(inMemory(halves), from, to, .rgbaHalf, isOpaque: true).chunked {
            #expect(abs(Double(Float16(bitPattern: value)) - averages[index]) <= averages[index] / 2000)
        }
    }

    @Test func `strips of any height give the same rows`() throws {
        let bytes = samples(50 * 61 * 3)
        let whole = try reduce(bytes, size(50, 61), size(9, 17), .rgb8, isOpaque: true, strip: 61)
        for strip in [1, 2, 60] {
            #expect(try reduce(bytes, size(50, 61), size(9, 17), .rgb8, isOpaque: true, strip: strip) == whole)
        }
    }

    @Test func `nothing is reduced to more than it was, or to nothing`() {
        for to in [size(5, 4), size(4, 5), size(0, 4), size(4, 0)] {
            #expect(decodingError { _ = try reduce([], size(4, 4), to, .rgb8, isOpaque: true) }?.fault == .limit)
        }
    }

    @Test func `the decoded size is at least twice the requested one, or the whole image`() {
        for side in 1...400 {
            for least in [1, 7, 100, 399] where least <= side {
                let reduced = Reduction.size(of: size(side, side), covering: size(least, least)).width
                #expect(reduced >= least && reduced <= side)
                #expect(reduced == side || reduced >= 2 * least)
                #expect(reduced < 4 * least || side < 4 * least)
            }
        }
        #expect(Reduction.size(of: size(10_000, 10_000), covering: size(256, 256)) == size(527, 527))
    }

    @Test func `a reduced image keeps its ratio, whatever the rounding of the requested sides`() {
        for whole in [size(400, 300), size(300, 400), size(1_000, 333), size(97, 89), size(3_000, 7), size(5, 4_000)] {
            for least in 1...120 {
                let wanted = TargetSize(size(least, least)).resolved(for: whole)
                let reduced = Reduction.size(of: whole, covering: wanted)
                let difference = abs(reduced.width * whole.height - reduced.height * whole.width)
                #expect(difference < max(whole.width, whole.height), "\(whole) to \(wanted): \(reduced)")
                #expect(reduced.covers(wanted))
            }
        }
    }

    @Test func `reducing before a resize looks as a resize of everything does`() throws {
        let (from, wanted) = (size(320, 240), size(40, 30))
        let source = try Bitmap.scene(from)
        let to = Reduction.size(of: from, covering: wanted)
        #expect(to == size(80, 60))
        let bytes = try reduce(packed(source), from, to, .rgb8, isOpaque: true)
        let reduced = try Bitmap(size: to, format: .rgb8) { pixels in
            for y in 0..<to.height {
                for (x, byte) in bytes[y * to.width * 3..<(y + 1) * to.width * 3].enumerated() {
                    pixels.row(y).storeBytes(of: byte, toByteOffset: x, as: UInt8.self)
                }
            }
        }
        let short = try packed(reduced.resized(to: wanted)).map { Double($0) }
        let whole = try packed(source.resized(to: wanted)).map { Double($0) }
        let mean = zip(short, whole).reduce(0) { $0 + abs($1.0 - $1.1) } / Double(whole.count)
        let similarity = structuralSimilarity(short, whole, size: wanted, channels: 3)
        #expect(mean < 1.5, "\(mean)")
        #expect(similarity > 0.95, "\(similarity)")
        // The scene's stripes are finer than the new pixels: a box filter alone gives more than twice the difference.
        let average = try packed(source.resized(to: wanted, filter: .box)).map { Double($0) }
        #expect(zip(average, whole).reduce(0) { $0 + abs($1.0 - $1.1) } / Double(whole.count) > 2 * mean)
    }
}

extension [UInt8] {
    /// Words in the machine's order, with their indices.
    fileprivate var chunked: [(Int, UInt16)] {
        (0..<count / 2).map { index in
            (index, UInt16(littleEndian: UInt16(self[2 * index]) | UInt16(self[2 * index + 1]) << 8))
        }
    }
}
