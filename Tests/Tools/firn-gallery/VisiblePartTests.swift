#if GTK
import Firn
import Testing

@testable import firn_gallery

/// Tests what of a zoomed image is saved as a file, and how the gallery describes pixels.
@Suite struct VisiblePartTests {
    private static let size = PixelSize(width: 4_000, height: 3_000)

    @Test func `The part has the pixels that are visible at least in part`() throws {
        let part = try #require(
            VisiblePart(of: VisiblePartTests.size, across: (100.5, 800, 2_000), along: (0, 600, 1_500)))
        #expect([part.x, part.y, part.width, part.height] == [201, 0, 1_600, 1_200])
    }

    @Test(arguments: [(-50.0, 800.0, 2_000.0), (1_900, 800, 2_000), (0, 0, 2_000), (0, 10, 0), (.nan, 1, 1)])
    func `A part is inside the image, or there is none`(_ start: Double, _ page: Double, _ all: Double) {
        let part = VisiblePart(of: VisiblePartTests.size, across: (start, page, all), along: (0, 1, 1))
        guard let part else { return #expect(page == 0 || all == 0 || start.isNaN) }
        #expect(part.x >= 0 && part.width > 0 && part.x + part.width <= 4_000)
    }

    @Test func `A new file never has the name of another one, and a format that can be written`() {
        let taken: Set = ["/a/b-part.jpg", "/a/b-part-2.jpg"]
        #expect(VisiblePart.path(beside: "/a/b.jpg", isTaken: taken.contains) == "/a/b-part-3.jpg")
        #expect(VisiblePart.path(beside: "/a/b.heic", isTaken: taken.contains) == "/a/b-part.png")
        #expect(VisiblePart.path(beside: "/a/b", isTaken: taken.contains) == "/a/b-part.png")
    }

    @Test(arguments: [PixelFormat.rgb8, .bgra8Premultiplied])
    func `A histogram counts each channel, and no transparent pixel`(_ format: PixelFormat) throws {
        let image = try Bitmap(size: PixelSize(width: 8, height: 2), format: format) { pixels in
            for x in 0..<8 {
                let length = format.bytesPerPixel
                let color: [UInt8] = format == .rgb8 ? [255, 128, 0] : [0, 128, 255, 255]
                for (index, value) in color.enumerated() {
                    pixels.row(0).storeBytes(of: value, toByteOffset: x * length + index, as: UInt8.self)
                    let other = format == .rgb8 ? value : 0
                    pixels.row(1).storeBytes(of: other, toByteOffset: x * length + index, as: UInt8.self)
                }
            }
        }
        let histogram = try #require(Histogram(image))
        let count = format == .rgb8 ? 16 : 8
        #expect(histogram.red[63] == count && histogram.green[32] == count && histogram.blue[0] == count)
        #expect(histogram.red.reduce(0, +) == count)
    }
}
#endif
