#if GTK
import Firn
import Testing

@testable import firn_gallery

/// Tests which part of an image is saved as a file, and how the gallery describes pixels.
@Suite struct ImagePartTests {
    private static let size = PixelSize(width: 4_000, height: 3_000)

    @Test func `The part has the pixels that are visible at least in part`() throws {
        let part = try #require(ImagePart(of: ImagePartTests.size, from: (200.5, 0), to: (1_800.5, 1_200)))
        #expect([part.x, part.y, part.width, part.height] == [200, 0, 1_601, 1_200])
        // A rotated view has other corners first.
        #expect(ImagePart(of: ImagePartTests.size, from: (1_800.5, 0), to: (200.5, 1_200)) == part)
    }

    @Test(arguments: [(-50.0, 800.0), (3_900, 4_700), (100, 100), (4_100, 4_200), (.nan, 1)])
    func `A part lies inside the image, or is nil`(_ start: Double, _ end: Double) {
        let part = ImagePart(of: ImagePartTests.size, from: (start, 0), to: (end, 1))
        guard let part else { return #expect(start == end || start > 4_000 || start.isNaN) }
        #expect(part.x >= 0 && part.width > 0 && part.x + part.width <= 4_000)
    }

    @Test func `A new file never has the name of another one, and a format that can be written`() {
        let taken: Set = ["/a/b-part.jpg", "/a/b-part-2.jpg"]
        #expect(ImagePart.path(beside: "/a/b.jpg", isTaken: taken.contains) == "/a/b-part-3.jpg")
        #expect(ImagePart.path(beside: "/a/b.heic", isTaken: taken.contains) == "/a/b-part.png")
        #expect(ImagePart.path(beside: "/a/b", isTaken: taken.contains) == "/a/b-part.png")
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
