#if TIFF
import FirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

@Suite struct TIFFLabTests {
    private typealias Page = HandmadeTIFF.Page

    /// The encodings of L*a*b* in files.
    enum Encoding: CaseIterable {
        case cie8, cie16, icc8, icc16, itu8, itu16, cieFloat, cieHalf

        var photometric: Int {
            switch self {
            case .cie8, .cie16, .cieFloat, .cieHalf: 8
            case .icc8, .icc16: 9
            case .itu8, .itu16: 10
            }
        }

        var bits: Int {
            switch self {
            case .cie8, .icc8, .itu8: 8
            case .cieFloat: 32
            default: 16
            }
        }

        var isFloat: Bool { self == .cieFloat || self == .cieHalf }

        /// Returns the stored bytes of a color, least significant first, and the color that they say.
        func stored(_ color: [Double]) -> (bytes: [UInt8], color: [Double]) {
            func whole(_ value: Double, least: Double, most: Double) -> Int {
                Int(min(max(value.rounded(), least), most))
            }
            var bytes: [UInt8] = []
            var said: [Double] = []
            for (component, value) in color.enumerated() {
                let isLightness = component == 0
                let most = bits == 8 ? 255.0 : 65535.0
                let unit = bits == 8 ? 1.0 : 256.0
                switch self {
                case .cieFloat:
                    bytes += number(Int(Float(value).bitPattern), 4)
                    said.append(value)
                case .cieHalf:
                    bytes += number(Int(half(Float(value))), 2)
                    said.append(value)
                case .cie8, .cie16:
                    let range = isLightness ? (0, most) : (-128 * unit, 128 * unit - 1)
                    let scale = isLightness ? most / 100 : unit
                    let stored = whole(value * scale, least: range.0, most: range.1)
                    bytes += number(stored, bits / 8)
                    said.append(Double(stored) / scale)
                case .icc8, .icc16:
                    let scale = isLightness ? (bits == 8 ? 2.55 : 652.8) : unit
                    let zero = isLightness ? 0 : 128 * unit
                    let stored = whole(value * scale + zero, least: 0, most: most)
                    bytes += number(stored, bits / 8)
                    said.append((Double(stored) - zero) / scale)
                case .itu8, .itu16:
                    let scale = [most / 100, most / 170, most / 200][component]
                    let zero = [0, 128 * unit, 96 * unit][component]
                    let stored = whole(value * scale + zero, least: 0, most: most)
                    bytes += number(stored, bits / 8)
                    said.append((Double(stored) - zero) / scale)
                }
            }
            return (bytes, said)
        }

        private func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }

        /// Returns a half float of a number that it holds exactly.
        private func half(_ value: Float) -> UInt16 {
            guard value != 0 else { return 0 }
            let bits = value.bitPattern
            let exponent = Int(bits >> 23 & 255) - 112
            return UInt16(bits >> 16 & 0x8000) | UInt16(exponent << 10) | UInt16(bits >> 13 & 1023)
        }
    }

    /// Whites, grays and colors, some of which sRGB lacks; halves hold them exactly.
    private static let colors: [[Double]] = [
        [100, 0, 0], [50, 0, 0], [0, 0, 0], [20, 0, 0], [75, 10, -20], [60, -30, 40], [40, 25, 8], [90, -5, 60],
        [30, 20, -50], [55, 80, 64], [85, -80, 70],
    ]

    /// Returns sRGB values from 0 to 1: CIE 15 §8.2.1, Bradford's adaptation from D50 to D65, IEC 61966-2-1.
    private static func sRGB(_ lab: [Double]) -> [Double] {
        func light(_ f: Double) -> Double { f > 6 / 29.0 ? f * f * f : 3 * 36 / 841.0 * (f - 4 / 29.0) }
        let y = (lab[0] + 16) / 116
        let xyz = [
            0.9642 * light(y + lab[1] / 500), light(y), 0.8249 * light(y - lab[2] / 200),
        ]
        let rows = [
            [3.1338561, -1.6168667, -0.4906146], [-0.9787684, 1.9161415, 0.0334540],
            [0.0719453, -0.2289914, 1.4052427],
        ]
        return rows.map { row in
            let linear = min(max(zip(row, xyz).reduce(0) { $0 + $1.0 * $1.1 }, 0), 1)
            return linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
        }
    }

    private func page(_ encoding: Encoding) -> (page: Page, colors: [[Double]]) {
        let stored = TIFFLabTests.colors.map { encoding.stored($0) }
        let page = Page(
            width: stored.count, height: 1, photometric: encoding.photometric,
            bits: [Int](repeating: encoding.bits, count: 3), pieces: [stored.flatMap(\.bytes)],
            more: encoding.isFloat ? [(339, [3, 3, 3])] : [])
        return (page, stored.map(\.color))
    }

    @Test(arguments: Encoding.allCases)
    func `colors are those of the formulas, relative to D50`(encoding: Encoding) throws {
        let (page, colors) = page(encoding)
        let opened = try session(HandmadeTIFF(page).data)
        #expect(try opened.properties()?.colorSpace == "lab")
        let found = try packed(opened.decode(straight()))
        for (index, color) in colors.enumerated() {
            let expected = TIFFLabTests.sRGB(color).map { $0 * 255 }
            let pixel = Array(found[index * 4..<index * 4 + 3])
            for c in 0..<3 { #expect(abs(Double(pixel[c]) - expected[c]) <= 0.8, "\(color): \(pixel)") }
        }
    }

    @Test(arguments: [Encoding.cie16, .icc16, .itu16, .cieFloat])
    func `samples of more than 8 bits keep them`(encoding: Encoding) throws {
        let (page, colors) = page(encoding)
        var options = straight()
        options.pixelFormat = .rgba16Straight
        let words = try packed(session(HandmadeTIFF(page).data).decode(options)).withUnsafeBytes {
            Array($0.bindMemory(to: UInt16.self))
        }
        for (index, color) in colors.enumerated() {
            let expected = TIFFLabTests.sRGB(color).map { $0 * 65535 }
            for c in 0..<3 { #expect(abs(Double(words[index * 4 + c]) - expected[c]) <= 70, "\(color)") }
        }
    }

    @Test(arguments: Encoding.allCases)
    func `grays have no color`(encoding: Encoding) throws {
        let stored = stride(from: 0.0, through: 100, by: 12.5).map { encoding.stored([$0, 0, 0]).bytes }
        let page = Page(
            width: stored.count, height: 1, photometric: encoding.photometric,
            bits: [Int](repeating: encoding.bits, count: 3), pieces: [stored.flatMap { $0 }],
            more: encoding.isFloat ? [(339, [3, 3, 3])] : [])
        let found = try packed(session(HandmadeTIFF(page).data).decode(straight()))
        for pixel in stride(from: 0, to: found.count, by: 4) {
            let color = found[pixel..<pixel + 3]
            #expect(color.allSatisfy { abs(Int($0) - Int(color.first ?? 0)) <= 1 }, "\(color)")
        }
        #expect(found.suffix(4) == [255, 255, 255, 255])
    }

    @Test func `alpha stays, and colors multiplied by it are divided`() throws {
        // L* of 40 at half alpha is 80; a* and b* are signed.
        let expected = TIFFLabTests.sRGB([80, 20, -10]).map { $0 * 255 }
        for (samples, meaning) in [([204, 20, 246, 128], 2), ([102, 10, 251, 128], 1)] {
            let page = Page(
                width: 1, height: 1, photometric: 8, bits: [8, 8, 8, 8], pieces: [samples.map { UInt8($0) }],
                more: [(338, [meaning])])
            let opened = try session(HandmadeTIFF(page).data)
            #expect(try opened.properties()?.hasAlpha == true)
            let found = try packed(opened.decode(straight()))
            #expect(found[3] == 128)
            for c in 0..<3 { #expect(abs(Double(found[c]) - expected[c]) <= 1.5, "\(found)") }
        }
    }

    @Test func `planes, tiles and the other order of bytes give the same colors`() throws {
        let (page, colors) = page(.cie16)
        let plain = try packed(session(HandmadeTIFF(page).data).decode(straight()))
        let samples = page.pieces[0]
        var planar = page
        planar.pieces = (0..<3).map { c in
            (0..<colors.count).flatMap { Array(samples[($0 * 3 + c) * 2..<($0 * 3 + c) * 2 + 2]) }
        }
        planar.more.append((284, [2]))
        #expect(try packed(session(HandmadeTIFF(planar).data).decode(straight())) == plain)
        var tiled = page
        tiled.tile = (16, 16)
        tiled.pieces = [samples + [UInt8](repeating: 0, count: 16 * 16 * 6 - samples.count)]
        #expect(try packed(session(HandmadeTIFF(tiled).data).decode(straight())) == plain)
        var swapped = page
        swapped.pieces = [stride(from: 0, to: samples.count, by: 2).flatMap { [samples[$0 + 1], samples[$0]] }]
        #expect(try packed(session(HandmadeTIFF(swapped, isBigEndian: true).data).decode(straight())) == plain)
    }

    @Test func `numbers that are none, and beyond all colors, are black or clipped`() throws {
        let values: [Float] = [.nan, .nan, .nan, .infinity, 0, 0, -.infinity, 0, 0, 1e30, .nan, -.infinity]
        let bytes = values.flatMap { value in (0..<4).map { UInt8(value.bitPattern >> ($0 * 8) & 255) } }
        let page = Page(
            width: 4, height: 1, photometric: 8, bits: [32, 32, 32], pieces: [bytes], more: [(339, [3, 3, 3])])
        let found = try packed(session(HandmadeTIFF(page).data).decode(straight()))
        #expect(Array(found[4..<8]) == [255, 255, 255, 255])
        #expect(Array(found[8..<12]) == [0, 0, 0, 255])
    }
}
#endif
