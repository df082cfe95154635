import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests colors that a file describes by code points or numbers.
@Suite struct DescribedColorTests {
    /// Decodes one row of straight pixels; the decoder provides `bytes`, or `words` if they are requested.
    private func decode(
        _ pixels: [[UInt16]], deep: Bool = false, as format: PixelFormat = .rgba8Straight, converts: Bool = true,
        _ change: (inout ImageProperties) -> Void
    ) throws -> Bitmap {
        var properties = ImageProperties(format: .png, size: PixelSize(width: pixels.count, height: 1))
        properties.bitDepth = deep ? 16 : 8
        change(&properties)
        let image = GivenImage(properties) { layout in
            let full: UInt16 = deep ? 65_535 : 255
            let all: [UInt16] = pixels.flatMap { (pixel: [UInt16]) -> [UInt16] in pixel + [full] }
            if layout == .rgba16 { return inMemory(all) }
            return all.map { UInt8(deep ? $0 / 257 : $0) }
        }
        var options = DecodingOptions()
        options.pixelFormat = format
        options.appliesColorProfile = converts
        return try image.decode(options)
    }

    private func description(_ change: (inout ColorDescription) -> Void) -> ColorDescription {
        var description = ColorDescription()
        change(&description)
        return description
    }

    private let colors: [[UInt16]] = [[0, 0, 0], [255, 255, 255], [200, 100, 50], [10, 20, 30], [255, 0, 0]]

    private var p3: ColorDescription {
        description {
            $0.primariesCode = 12
            $0.transferCode = 13
        }
    }

    /// Converts Display P3 to sRGB in double precision, with the matrix that follows from both standards' primaries.
    private func fromP3(_ color: [Double]) -> [Double] {
        let light = color.map { LinearLight.decode($0) }
        let matrix = [[1.2249, -0.2247, 0], [-0.0420, 1.0419, 0], [-0.0197, -0.0786, 1.0979]]
        return matrix.map { row in zip(row, light).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    @Test func `descriptions of sRGB leave colors alone`() throws {
        typealias Point = ColorDescription.Chromaticity
        let primaries = ColorDescription.Primaries(
            white: Point(x: 0.3127, y: 0.329), red: Point(x: 0.64, y: 0.33), green: Point(x: 0.3, y: 0.6),
            blue: Point(x: 0.15, y: 0.06))
        let descriptions = [
            description { $0.gamma = 0.45455 },
            description { $0.primaries = primaries },
            description {
                $0.gamma = 0.45455
                $0.primaries = primaries
            },
            description { $0.primariesCode = 1 },
            description {
                $0.primariesCode = 1
                $0.transferCode = 13
            },
            description { $0.transferCode = 1 },
            description {
                $0.primariesCode = 2
                $0.transferCode = 2
            },
        ]
        for description in descriptions {
            var properties = ImageProperties(format: .png, size: PixelSize(width: 1, height: 1))
            properties.colorDescription = description
            let plan = try ColorPlan(properties, format: .bgra8Premultiplied, converts: true)
            guard case .none = plan.step else {
                Issue.record("\(description)")
                continue
            }
        }
    }

    @Test func `a gamma alone bends the curve`() throws {
        let result = try decode([[0, 128, 255], [64, 64, 64]]) {
            $0.colorDescription = description { $0.gamma = 1 }
        }.pixels
        try #require(result.count == 2)
        #expect(result[0].prefix(3).elementsEqual([0, 188, 255]))
        #expect(abs(Int(result[1][0]) - 137) <= 1)
    }

    @Test func `primaries are converted, and colors that sRGB lacks are cut`() throws {
        let result = try decode(colors) { $0.colorDescription = p3 }.pixels
        for (color, found) in zip(colors, result) {
            let light = fromP3(color.map { Double($0) / 255 })
            for channel in 0..<3 {
                let expected = LinearLight.encode(min(max(light[channel], 0), 1)) * 255
                #expect(abs(Double(found[channel]) - expected) <= 1.2, "\(color) became \(found)")
            }
        }
    }

    @Test func `half floats keep what sRGB lacks, with 8 bits stored and with 16 (F17)`() throws {
        for deep in [false, true] {
            let stored: [[UInt16]] = colors.map { $0.map { deep ? $0 * 257 : $0 } }
            let result = try decode(stored, deep: deep, as: .rgbaHalfPremultiplied) { $0.colorDescription = p3 }.numbers
            for (index, color) in colors.enumerated() {
                let light = fromP3(color.map { Double($0) / 255 })
                for channel in 0..<3 {
                    #expect(abs(result[index * 4 + channel] - light[channel]) < 0.001, "\(color)")
                }
                #expect(result[index * 4 + 3] == 1)
            }
        }
    }

    @Test func `16 bits stay 16 bits`() throws {
        let stored: [[UInt16]] = [[40_000, 40_001, 39_990], [300, 301, 290]]
        for description in [nil, p3] {
            let result = try decode(stored, deep: true, as: .rgba16Straight) { $0.colorDescription = description }
            let words = result.words
            try #require(words.count == 8)
            if description == nil { #expect(Array(words.prefix(3)) == stored[0]) }
            #expect(words[1] > words[0] && words[0] > words[2])
            #expect(words[5] > words[4] && words[4] > words[6])
            #expect(words[3] == 65_535)
        }
        let widened = try decode([[1, 128, 255]], as: .rgba16Straight) { _ in }
        #expect(widened.words == [257, 32_896, 65_535, 65_535])
    }

    @Test func `numbers that are no colors are ignored`() throws {
        typealias Point = ColorDescription.Chromaticity
        for point in [Point(x: 0.3, y: 0), Point(x: -1, y: 1e300), Point(x: .nan, y: 0.3), Point(x: 0.64, y: 0.33)] {
            let description = description {
                $0.primaries = ColorDescription.Primaries(white: point, red: point, green: point, blue: point)
                $0.gamma = .infinity
            }
            #expect(try decode(colors) { $0.colorDescription = description }.pixels == decode(colors) { _ in }.pixels)
        }
    }

    @Test func `a profile counts before a description, but for a PNG's code points`() throws {
        let profile = try #require(ColorProfile(icc: DecoderSamples.swappedProfile))
        let swapped = try decode(colors) { $0.colorProfile = profile }.pixels
        let described = try decode(colors) { $0.colorDescription = p3 }.pixels
        #expect(swapped != described)
        func both(_ format: ImageFormat, _ description: ColorDescription) throws -> [[UInt8]] {
            try decode(colors) {
                $0.format = format
                $0.colorProfile = profile
                $0.colorDescription = description
            }.pixels
        }
        #expect(try both(.png, p3) == described)
        #expect(try both(.avif, p3) == swapped)
        #expect(try both(.png, description { $0.gamma = 1 }) == swapped)
    }

    @Test func `colors are not converted if the options say so`() throws {
        let result = try decode(colors, converts: false) { $0.colorDescription = p3 }.pixels
        #expect(result == colors.map { $0.map { UInt8($0) } + [255] })
    }

    @Test func `profiles work on 16 bits and to half floats as they do on 8`() throws {
        let profiles = [DecoderSamples.swappedProfile, GrayProfile.data(gamma: 1)]
        for (index, icc) in profiles.enumerated() {
            let stored: [[UInt16]] =
                index == 0 ? colors : [[0, 0, 0], [128, 128, 128], [255, 255, 255], [30, 30, 30]]
            let change = { (properties: inout ImageProperties) in
                properties.colorProfile = ColorProfile(icc: icc)
                properties.colorSpace = index == 0 ? "rgb" : "gray"
            }
            let bytes = try decode(stored, change).pixels.flatMap { $0 }
            #expect(bytes != stored.flatMap { $0.map { UInt8($0) } + [255] })
            for deep in [false, true] {
                let samples: [[UInt16]] = deep ? stored.map { $0.map { $0 * 257 } } : stored
                let words = try decode(samples, deep: deep, as: .rgba16Straight, change).words
                #expect(zip(words, bytes).allSatisfy { abs(Double($0) / 257 - Double($1)) <= 0.8 })
                let light = try decode(samples, deep: deep, as: .rgbaHalfPremultiplied, change).numbers
                for (place, (number, byte)) in zip(light, bytes).enumerated() where place % 4 != 3 {
                    let value = LinearLight.encode(min(max(number, 0), 1)) * 255
                    #expect(abs(value - Double(byte)) <= 1.3, "\(light) instead of \(bytes)")
                }
            }
        }
    }
}

/// Makes the smallest ICC profile of gray pixels.
enum GrayProfile {
    /// - Parameter gamma: the exponent from values to light.
    static func data(gamma: Double) -> Data {
        func big(_ value: Int, _ count: Int = 4) -> [UInt8] { HandmadePNG.big(value, count) }
        let white = Array("XYZ ".utf8) + big(0) + big(0xF6D6) + big(0x10000) + big(0xD32D)
        let curve = Array("curv".utf8) + big(0) + big(1) + big(Int(gamma * 256), 2) + [0, 0]
        var tags = big(2)
        tags += Array("wtpt".utf8) + big(156) + big(white.count)
        tags += Array("kTRC".utf8) + big(156 + white.count) + big(curve.count)
        let body = tags + white + curve
        var header = [UInt8](repeating: 0, count: 128)
        header.replaceSubrange(0..<4, with: big(128 + body.count))
        header[8] = 2
        for (start, text) in [(12, "mntr"), (16, "GRAY"), (20, "XYZ "), (36, "acsp")] {
            header.replaceSubrange(start..<start + 4, with: Array(text.utf8))
        }
        header.replaceSubrange(68..<80, with: white.suffix(12))
        return Data(header + body)
    }
}
