import FirnImage
import FirnProcessing
import Testing

/// Tests the levels of a pyramid against averages of the whole image.
@Suite struct PyramidReducerTests {
    /// Collects the rows of tiles of a pyramid.
    private func levels(
        _ image: Bitmap, of whole: PyramidShape? = nil, hasAlpha: Bool, chunk: (Int) -> Int
    ) throws -> (shape: PyramidShape, levels: [[UInt8]], isOpaque: Bool) {
        let shape = try #require(whole ?? PyramidShape(image.size))
        let reducer = PyramidReducer(shape, hasAlpha: hasAlpha)
        var levels = shape.levels.map { [UInt8](repeating: 0, count: $0.area * 4) }
        var written = Set<String>()
        try image.withUnsafeBytes { bytes in
            let base = try #require(bytes.baseAddress)
            var y = 0
            while y < image.size.height {
                let count = min(chunk(y), image.size.height - y)
                reducer.add(base + y * image.bytesPerRow, bytesPerRow: image.bytesPerRow, count: count) {
                    band, level, row in
                    #expect(written.insert("\(level),\(row)").inserted)
                    let size = shape.levels[level]
                    #expect(band.count == size.width * shape.bandHeight(level, row) * 4)
                    for column in 0..<shape.columns(level) {
                        let tile = shape.tileSize(level, column: column, row: row)
                        let start = shape.startInBand(level, column: column, row: row)
                        for line in 0..<tile.height {
                            let to = ((row * 256 + line) * size.width + column * 256) * 4
                            for at in 0..<tile.width * 4 {
                                levels[level][to + at] = band[start + line * tile.width * 4 + at]
                            }
                        }
                    }
                }
                y += count
            }
        }
        #expect(written.count == shape.stored.reduce(0) { $0 + shape.rows($1) })
        return (shape, levels, reducer.isOpaque)
    }

    /// The exact average of the pixels that a pixel of a level covers.
    private func average(_ image: Bitmap, _ level: Int, _ x: Int, _ y: Int, _ component: Int) -> Double {
        image.withUnsafeBytes { bytes in
            var (sum, count) = (0, 0)
            for row in y << level..<min((y + 1) << level, image.size.height) {
                for column in x << level..<min((x + 1) << level, image.size.width) {
                    sum += Int(bytes[row * image.bytesPerRow + column * 4 + component])
                    count += 1
                }
            }
            return Double(sum) / Double(count)
        }
    }

    @Test(arguments: [(700, 523), (257, 1), (1, 600), (512, 512), (513, 769), (40, 30)])
    func `Each level is the average of the whole image, to the nearest byte`(width: Int, height: Int) throws {
        let image = try RegionScene.noise(PixelSize(width: width, height: height))
        // Strips of any length, as decoders return them.
        let found = try levels(image, hasAlpha: true) { [1, 2, 7, 64, 3][$0 % 5] }
        #expect(found.levels[0] == RegionScene.rows(image).flatMap { $0 })
        for (level, size) in found.shape.levels.enumerated().dropFirst() {
            var most = 0.0
            for y in 0..<size.height {
                for x in stride(from: y % 3, to: size.width, by: 3) {
                    for component in 0..<4 {
                        let exact = average(image, level, x, y, component)
                        most = max(most, abs(Double(found.levels[level][(y * size.width + x) * 4 + component]) - exact))
                    }
                }
            }
            #expect(most < 0.6, "level \(level)")
        }
        #expect(!found.isOpaque)
    }

    @Test(arguments: [(1400, 1046), (1025, 3), (1, 2050), (1030, 1541)])
    func `Levels of an image at a quarter are averages of the whole image`(width: Int, height: Int) throws {
        let image = try RegionScene.noise(PixelSize(width: width, height: height))
        let shape = try #require(PyramidShape(image.size, from: 2))
        let quarter = try Bitmap(size: shape.levels[2], isOpaque: false) { pixels in
            for y in 0..<pixels.size.height {
                for at in 0..<pixels.size.width * 4 {
                    let exact = average(image, 2, at / 4, y, at % 4)
                    pixels.row(y).storeBytes(of: UInt8(exact.rounded()), toByteOffset: at, as: UInt8.self)
                }
            }
        }
        let found = try levels(quarter, of: shape, hasAlpha: true) { [1, 2, 7, 64, 3][$0 % 5] }
        #expect(found.levels[0].allSatisfy { $0 == 0 } && found.levels[2] == RegionScene.rows(quarter).flatMap { $0 })
        for (level, size) in found.shape.levels.enumerated().dropFirst(3) {
            for y in 0..<size.height {
                for x in 0..<size.width {
                    for component in 0..<4 {
                        let exact = average(image, level, x, y, component)
                        let value = Double(found.levels[level][(y * size.width + x) * 4 + component])
                        // The quarter is rounded, and each level once more.
                        guard abs(value - exact) < 1.1 else {
                            Issue.record("level \(level) at \(x), \(y): \(value), not \(exact)")
                            return
                        }
                    }
                }
            }
        }
    }

    @Test func `An opaque image is known to be opaque, however its alpha is declared`() throws {
        let image = try RegionScene.image(PixelSize(width: 300, height: 20))
        #expect(try levels(image, hasAlpha: true, chunk: { _ in 4 }).isOpaque)
        #expect(try levels(image, hasAlpha: false, chunk: { _ in 4 }).isOpaque)
    }

    @Test func `A size that overflows has no shape`() {
        #expect(PyramidShape(PixelSize(width: 0, height: 5)) == nil)
        #expect(PyramidShape(PixelSize(width: .max, height: 2)) == nil)
        #expect(PyramidShape(PixelSize(width: 1 << 40, height: 1 << 40)) == nil)
        #expect(PyramidShape(PixelSize(width: 1, height: 1))?.levels.count == 1)
        #expect(PyramidShape(PixelSize(width: 300, height: 1), from: 2) == nil)
    }

    @Test func `Tiles of a level fill it without gaps`() throws {
        for size in [(1000, 700), (256, 257), (4097, 33)] {
            for firstLevel in [0, 1] {
                let shape = try #require(PyramidShape(PixelSize(width: size.0, height: size.1), from: firstLevel))
                var end = 0
                var number = 0
                for level in shape.stored {
                    for row in 0..<shape.rows(level) {
                        #expect(shape.bandStart(level, row) == end)
                        for column in 0..<shape.columns(level) {
                            #expect(
                                shape.bandStart(level, row) + shape.startInBand(level, column: column, row: row) == end)
                            #expect(shape.number(level, column: column, row: row) == number)
                            end += shape.tileSize(level, column: column, row: row).area * 4
                            number += 1
                        }
                    }
                }
                #expect(end == shape.byteCount && number == shape.tileCount)
            }
        }
    }
}
