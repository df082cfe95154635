#if GTK
import FirnImage
import FoundationEssentials

/// A tiled TIFF with reduced versions whose image repeats, so that a gigapixel takes a few megabytes: all repetitions
/// are the same tiles of the file.
///
/// - Source: TIFF 6.0, sections 2 and 15.
struct PatternTIFF {
    static let tile = 256
    /// The columns and rows after which the image repeats.
    static let period = 1_024
    /// The sides of the squares of one color.
    static let cell = 64

    /// The columns and rows of the image, a multiple of ``period``.
    let side: Int

    /// Returns the color at a place of the image at full size.
    static func color(_ x: Int, _ y: Int) -> SIMD3<UInt8> {
        let (column, row) = (x % period / cell, y % period / cell)
        return SIMD3(UInt8(column * 15 + 8), UInt8(row * 15 + 8), UInt8((column ^ row) * 12 + 20))
    }

    func data() -> Data {
        var file: [UInt8] = [0x49, 0x49, 42, 0, 0, 0, 0, 0]
        var pattern = PatternTIFF.pattern()
        var (length, halvings, link) = (PatternTIFF.period, 0, 4)
        while side >> halvings >= PatternTIFF.tile {
            let places = addTiles(pattern, length, to: &file)
            let directory = addDirectory(side >> halvings, isReduced: halvings > 0, places, to: &file)
            file.replaceSubrange(link..<link + 4, with: PatternTIFF.little(directory, 4))
            link = file.count - 4
            if length > 1 { (pattern, length) = (PatternTIFF.halved(pattern, length), length / 2) }
            halvings += 1
        }
        return Data(file)
    }

    // MARK: Pixels

    private static func pattern() -> [SIMD3<UInt8>] {
        (0..<period * period).map { color($0 % period, $0 / period) }
    }

    /// Returns the image at half of its size.
    private static func halved(_ pixels: [SIMD3<UInt8>], _ length: Int) -> [SIMD3<UInt8>] {
        let half = length / 2
        return (0..<half * half).map { index in
            let start = index / half * 2 * length + index % half * 2
            let sum = [0, 1, length, length + 1].reduce(SIMD3<UInt16>(repeating: 2)) {
                $0 &+ SIMD3<UInt16>(truncatingIfNeeded: pixels[start + $1])
            }
            return SIMD3<UInt8>(truncatingIfNeeded: sum / 4)
        }
    }

    /// Writes the tiles of a repeating image once.
    ///
    /// - Returns: their offsets, and how many there are in a row before they repeat.
    private func addTiles(
        _ pixels: [SIMD3<UInt8>], _ length: Int, to file: inout [UInt8]
    ) -> (offsets: [Int], across: Int) {
        let across = max(1, length / PatternTIFF.tile)
        var offsets: [Int] = []
        for index in 0..<across * across {
            offsets.append(file.count)
            let (left, top) = (index % across * PatternTIFF.tile, index / across * PatternTIFF.tile)
            for y in top..<top + PatternTIFF.tile {
                for x in left..<left + PatternTIFF.tile {
                    let pixel = pixels[y % length * length + x % length]
                    file += [pixel.x, pixel.y, pixel.z]
                }
            }
        }
        return (offsets, across)
    }

    // MARK: Directories

    private func addDirectory(
        _ side: Int, isReduced: Bool, _ places: (offsets: [Int], across: Int), to file: inout [UInt8]
    ) -> Int {
        let count = side / PatternTIFF.tile
        let bytes = PatternTIFF.tile * PatternTIFF.tile * 3
        let offsets = (0..<count * count).map { index in
            places.offsets[index / count % places.across * places.across + index % count % places.across]
        }
        let bits = add([8, 8, 8], 2, to: &file)
        let (first, lengths) = (add(offsets, 4, to: &file), add(offsets.map { _ in bytes }, 4, to: &file))
        // Tag, type (3: 16 bits, 4: 32 bits), count, value or its offset.
        let entries: [(Int, Int, Int, Int)] = [
            (254, 4, 1, isReduced ? 1 : 0), (256, 4, 1, side), (257, 4, 1, side), (258, 3, 3, bits), (259, 3, 1, 1),
            (262, 3, 1, 2), (277, 3, 1, 3), (322, 3, 1, PatternTIFF.tile), (323, 3, 1, PatternTIFF.tile),
            (324, 4, offsets.count, offsets.count == 1 ? offsets[0] : first),
            (325, 4, offsets.count, offsets.count == 1 ? bytes : lengths),
        ]
        let start = file.count
        file += PatternTIFF.little(entries.count, 2)
        for entry in entries {
            file += PatternTIFF.little(entry.0, 2) + PatternTIFF.little(entry.1, 2)
            file += PatternTIFF.little(entry.2, 4) + PatternTIFF.little(entry.3, 4)
        }
        file += [0, 0, 0, 0]
        return start
    }

    private func add(_ numbers: [Int], _ size: Int, to file: inout [UInt8]) -> Int {
        if file.count % 2 == 1 { file.append(0) }
        defer { for number in numbers { file += PatternTIFF.little(number, size) } }
        return file.count
    }

    private static func little(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
#endif
