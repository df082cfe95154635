import FirnImage
import Testing

@testable import FirnProcessing

/// Compares rendered gain maps with the formula, and tests that processors move maps with their images.
@Suite struct GainMapTests {
    /// Returns a map of different values everywhere, with different numbers for each channel.
    private func map(
        _ size: PixelSize, headrooms: (base: Double, other: Double) = (0, 3), gamma: SIMD3<Double> = .one
    ) throws -> GainMap {
        var metadata = GainMap.Metadata(maximum: SIMD3(2, 3, 2.5), alternateHeadroom: headrooms.other)
        metadata.baseHeadroom = headrooms.base
        metadata.minimum = SIMD3(-1, 0, -0.25)
        metadata.alternateOffset = SIMD3(0.01, 0.02, 0)
        metadata.gamma = gamma
        let image = try Bitmap.noise(size, format: .rgb8, seed: 4)
        return try #require(GainMap(image: image, metadata: metadata))
    }

    /// Returns the formula of ISO 21496-1 for a base of encoded colors multiplied by alpha, and gammas of 1 and 2.
    private func expected(_ base: PlainImage, _ map: GainMap, weight: Double) -> PlainImage {
        let values = PlainImage(map.image)
        let data = map.metadata
        return PlainImage(base.size) { x, y in
            func place(_ pixel: Int, _ size: Int, _ count: Int) -> (Int, Double) {
                let place = (Double(pixel) + 0.5) * Double(count) / Double(size) - 0.5
                let low = Int(place.rounded(.down))
                return (low, place - Double(low))
            }
            let (column, across) = place(x, base.size.width, map.image.size.width)
            let (row, down) = place(y, base.size.height, map.image.size.height)
            let upper = values.clamped(column, row) * (1 - across) + values.clamped(column + 1, row) * across
            let lower = values.clamped(column, row + 1) * (1 - across) + values.clamped(column + 1, row + 1) * across
            let value = upper * (1 - down) + lower * down
            let pixel = base[x, y]
            var result = SIMD4(0, 0, 0, pixel.w)
            for channel in 0..<3 where pixel.w > 0 {
                let light = LinearLight.decode(pixel[channel] / pixel.w)
                var part = value[channel]
                if data.gamma[channel] == 2 { part.formSquareRoot() }
                let gain = data.minimum[channel] + (data.maximum[channel] - data.minimum[channel]) * part
                let changed =
                    (light + data.baseOffset[channel]) * Self.power(gain * weight) - data.alternateOffset[channel]
                result[channel] = max(0, changed) * pixel.w
            }
            return result
        }
    }

    /// Returns a power of two, by its series.
    private static func power(_ exponent: Double) -> Double {
        var (sum, term) = (1.0, 1.0)
        for index in 1..<60 {
            term *= exponent * 0.693_147_180_559_945_3 / Double(index)
            sum += term
        }
        return sum
    }

    @Test(arguments: [PixelFormat.bgra8Premultiplied, .rgba8Straight, .rgb8, .rgba16Straight], [2.0, 4, 100])
    func `a rendered map follows the formula`(format: PixelFormat, headroom: Double) throws {
        // Noise in a format that is multiplied by alpha would have colors above 1.
        let noise = try Bitmap.noise(
            PixelSize(width: 37, height: 23), format: format == .bgra8Premultiplied ? .rgba8Straight : format, seed: 2)
        let base = try noise.converted(to: format)
        let sizes = [PixelSize(1), PixelSize(width: 9, height: 6), PixelSize(width: 60, height: 23)]
        for (size, gamma) in sizes.flatMap({ [($0, SIMD3<Double>.one), ($0, SIMD3(2, 1, 2))] }) {
            let map = try map(size, gamma: gamma)
            let result = try map.applied(to: base, headroom: headroom)
            #expect(result.format == .rgbaHalfPremultiplied && result.size == base.size)
            let weight = try #require([2.0: 1.0 / 3, 4: 2.0 / 3, 100: 1][headroom])
            let expected = expected(PlainImage(base), map, weight: weight)
            for (one, other) in zip(PlainImage(result).pixels, expected.pixels) {
                for channel in 0..<4 {
                    #expect(abs(one[channel] - other[channel]) < 0.001 + 0.002 * other[channel])
                }
            }
        }
    }

    @Test func `a headroom of 1 or less returns the base itself`() throws {
        let base = try Bitmap.noise(PixelSize(9), format: .rgb8, seed: 2)
        for headroom in [1, 0.5, -1, .nan] {
            let result = try map(PixelSize(3)).applied(to: base, headroom: headroom)
            #expect(result.format == .rgb8 && result.packedBytes == base.packedBytes)
        }
    }

    @Test func `below the headroom of its base a map changes no light`() throws {
        let base = try Bitmap.noise(PixelSize(9), format: .rgb8, seed: 2)
        let result = try map(PixelSize(3), headrooms: (2, 3)).applied(to: base, headroom: 3)
        #expect(result.packedBytes == (try base.converted(to: .rgbaHalfPremultiplied)).packedBytes)
    }

    @Test func `the map of an HDR base reduces the range`() throws {
        let map = try map(PixelSize(3), headrooms: (3, 0))
        #expect(map.weight(at: 8) == 0 && map.weight(at: 1) == -1 && abs(map.weight(at: 2) + 2.0 / 3) < 1e-9)
        #expect(try self.map(PixelSize(3), headrooms: (2, 2)).weight(at: 4) == 0)
    }

    @Test func `half floats outside of sRGB keep their signs`() throws {
        let base = try Bitmap(size: PixelSize(1), format: .rgbaHalfPremultiplied, isOpaque: true) { pixels in
            let halves = [-0.25, 0, 2, 1].map { Float16($0).bitPattern }
            halves.withUnsafeBytes {
                pixels.row(0).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(pixels.base), byteCount: 8)
            }
        }
        var metadata = GainMap.Metadata(maximum: SIMD3(1, 1, 1), alternateHeadroom: 1)
        metadata.minimum = SIMD3(1, 1, 1)
        (metadata.baseOffset, metadata.alternateOffset) = (.zero, SIMD3(repeating: 0.5))
        let map = try #require(
            GainMap(image: try Bitmap.noise(PixelSize(2), format: .rgb8, seed: 1), metadata: metadata))
        let pixel = PlainImage(try map.applied(to: base, headroom: 2))[0, 0]
        #expect(pixel == SIMD4(-0.5, 0, 3.5, 1))
    }

    @Test func `light outside of the base's primaries stays in those of PQ`() throws {
        var metadata = GainMap.Metadata(maximum: .zero, alternateHeadroom: 1)
        (metadata.baseOffset, metadata.alternateOffset) = (.zero, SIMD3(repeating: 0.0625))
        let map = try #require(
            GainMap(image: try Bitmap.noise(PixelSize(1), format: .rgb8, seed: 1), metadata: metadata))
        let green = try Bitmap.painted(PixelSize(1), .rgb8) { _, _ in SIMD4(0, 255, 0, 255) }
        let result = try map.applied(to: green, headroom: 2, as: .rgba16Straight)
        // The same light without offsets.
        let light = try Bitmap(size: PixelSize(1), format: .rgbaHalfPremultiplied, isOpaque: true) { pixels in
            let halves: [Float16] = [-0.0625, 0.9375, -0.0625, 1]
            for (index, half) in halves.enumerated() {
                pixels.row(0).storeBytes(of: half.bitPattern, toByteOffset: 2 * index, as: UInt16.self)
            }
        }
        metadata.alternateOffset = .zero
        let none = try #require(GainMap(image: map.image, metadata: metadata))
        #expect(result.packedBytes == (try none.applied(to: light, headroom: 2, as: .rgba16Straight)).packedBytes)
        #expect(PlainImage(try map.applied(to: green, headroom: 2))[0, 0] == SIMD4(0, 0.9375, 0, 1))
    }

    @Test func `opaque bytes give the same light in each order`() throws {
        let base = try Bitmap.noise(PixelSize(width: 13, height: 5), format: .rgb8, seed: 2)
        let map = try map(PixelSize(3))
        let light = try map.applied(to: base, headroom: 4)
        for format in [PixelFormat.bgra8Premultiplied, .rgba8Straight] {
            let other = try base.converted(to: format)
            let same = try map.applied(to: other, headroom: 4).packedBytes == light.packedBytes
            #expect(other.isOpaque && same)
        }
    }

    private func processed(_ processors: [any ImageProcessing], _ map: GainMap) throws -> ImageContainer {
        var container = ImageContainer(
            image: try Bitmap.noise(PixelSize(width: 32, height: 16), format: .rgb8, seed: 3))
        container.gainMap = map
        return try ImageProcessors.Composition(processors).process(container)
    }

    @Test func `rotations and flips move the map exactly`() throws {
        let map = try map(PixelSize(width: 8, height: 4))
        let single: [(ImageOrientation, any ImageProcessing)] = [
            (.right, .rotate()), (.down, .rotate(quarterTurns: 2)), (.upMirrored, .flipHorizontally()),
            (.downMirrored, .flipVertically()),
        ]
        for (orientation, processor) in single {
            let moved = try #require(try processed([processor], map).gainMap)
            #expect(moved.image.packedBytes == (try map.image.oriented(orientation)).packedBytes)
            #expect(moved.metadata == map.metadata)
        }
        #expect(
            try processed([.rotate(), .rotate(quarterTurns: 3)], map).gainMap?.image.packedBytes
                == map.image.packedBytes)
    }

    @Test func `crops and resizes keep the map's resolution`() throws {
        let map = try map(PixelSize(width: 8, height: 4))
        let cut = try #require(try processed([.crop(x: 8, y: 4, width: 16, height: 8)], map).gainMap)
        let part = try map.image.cropped(to: .pixels(x: 2, y: 1, width: 4, height: 2))
        #expect(cut.image.packedBytes == part.packedBytes)
        #expect(try processed([.resize(width: 16)], map).gainMap == map)
        // The middle square of the resized image, then its left half, after a turn.
        let steps: [any ImageProcessing] = [
            .rotate(), .resize(size: PixelSize(8), crop: true), .crop(x: 0, y: 0, width: 4, height: 8),
        ]
        let fused = try #require(try processed(steps, map).gainMap)
        #expect(fused.image.size == PixelSize(width: 2, height: 4))
        let turned = try map.image.oriented(.right).cropped(to: .pixels(x: 0, y: 2, width: 2, height: 4))
        #expect(fused.image.packedBytes == turned.packedBytes)
        // A single pixel of the base keeps a pixel of the map.
        let tiny = try processed([.crop(x: 31, y: 15, width: 1, height: 1)], map).gainMap
        #expect(tiny?.image.size == PixelSize(1))
        let attention = try processed([.crop(size: PixelSize(8), anchor: .attention)], map)
        #expect(attention.gainMap?.image.size == PixelSize(2))
    }

    @Test func `other processors remove the map`() throws {
        let map = try map(PixelSize(width: 8, height: 4))
        let others: [any ImageProcessing] = [
            .invert(), .gaussianBlur(radius: 2), .pad(top: 1), ImageProcessors.Anonymous(id: "a") { $0 },
        ]
        for processor in others { #expect(try processed([processor], map).gainMap == nil) }
    }

    @Test func `a container counts the bytes of its map`() throws {
        let map = try map(PixelSize(width: 8, height: 4))
        let container = try processed([], map)
        #expect(container.cost == container.image.cost + map.image.cost)
        #expect(container.counted().gainMap == map)
    }
}
