import FirnImage
import Testing

@testable import FirnProcessing

/// Finds the salient part of drawings that are small enough to be scored pixel by pixel.
@Suite struct AttentionMapTests {
    private struct Box {
        let x: Int
        let y: Int
        let side: Int
        let color: SIMD4<UInt8>
    }

    private static let gray = SIMD4<UInt8>(120, 120, 120, 255)
    private static let black = SIMD4<UInt8>(0, 0, 0, 255)

    /// Returns the start of the salient part of a drawing.
    ///
    /// - Parameter texture: is added to the components of every second square of 2 × 2 pixels in the left 40 columns.
    private func start(
        of part: Int, in size: PixelSize, ground: SIMD4<UInt8> = gray, texture: UInt8 = 0, _ boxes: [Box]
    ) throws -> SIMD2<Int> {
        let image = try Bitmap(size: size, format: .bgra8Premultiplied) { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    var color = ground
                    if x < 40, (x / 2 + y / 2) % 2 == 1 { color &+= SIMD4(texture, texture, texture, 0) }
                    for box in boxes
                    where (box.x..<box.x + box.side).contains(x) && (box.y..<box.y + box.side).contains(y) {
                        color = box.color
                    }
                    pixels.row(y).storeBytes(of: color, toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
                }
            }
        }
        let map = try AttentionMap(image, ProcessingRun(name: "crop", context: ImageProcessingContext()))
        let start = map.start(of: PixelSize(width: part, height: part), in: size)
        return SIMD2(start.column, start.row)
    }

    private let wide = PixelSize(width: 96, height: 24)

    @Test func `An edge of skin counts more than an equal edge of another color`() throws {
        let skin = SIMD4<UInt8>(140, 172, 224, 255)
        let blue = SIMD4<UInt8>(224, 172, 140, 255)
        for (left, right, expected) in [(skin, blue, 7), (blue, skin, 65)] {
            let boxes = [Box(x: 8, y: 6, side: 12, color: left), Box(x: 76, y: 6, side: 12, color: right)]
            #expect(try start(of: 24, in: wide, boxes) == SIMD2(expected, 0))
        }
    }

    @Test func `A small strong edge counts more than much faint texture`() throws {
        let dot = Box(x: 80, y: 10, side: 4, color: Self.black)
        #expect(try start(of: 24, in: wide, texture: 12, [dot]) == SIMD2(61, 0))
    }

    @Test func `Only the kept columns determine the rows`() throws {
        // Two boxes outside the kept columns share other rows.
        let boxes = [(66, 66), (6, 12), (26, 12)].map { Box(x: $0.0, y: $0.1, side: 12, color: Self.black) }
        #expect(try start(of: 20, in: PixelSize(width: 96, height: 96), boxes) == SIMD2(59, 59))
    }

    @Test func `A black shape on a transparent ground is salient`() throws {
        let shape = Box(x: 76, y: 6, side: 12, color: Self.black)
        #expect(try start(of: 24, in: wide, ground: SIMD4(), [shape]) == SIMD2(65, 0))
    }

    @Test func `The middle of a plain image is kept`() throws {
        #expect(try start(of: 24, in: wide, []) == SIMD2(36, 0))
    }
}
