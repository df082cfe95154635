import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests that rows are decoded in batches of bytes: an image of one column takes no call for every few rows.
@Suite struct NarrowImageTests {
    private static let rows = 100_000

    /// Returns the options for the whole image, and for one of 100 rows.
    private static var sizes: [DecodingOptions] {
        var reduced = straight()
        reduced.targetSize = TargetSize(width: 1, height: 100)
        return [straight(), reduced]
    }

    @Test func `rows of one pixel are requested hundreds at a time`() throws {
        for options in NarrowImageTests.sizes {
            let size = PixelSize(width: 1, height: NarrowImageTests.rows)
            let source = CountingRows(size)
            let plan = try DecodePlan(
                options, ImageProperties(format: .qoi, size: size), frame: StoredFrame(size: size))
            let builder = try ImageBuilder(source, plan, limits: ImageLimits())
            #expect(try builder.advance(ByteChain()))
            // A row takes 64 bytes of memory.
            #expect(source.reads <= NarrowImageTests.rows / 500, "\(source.reads) reads")
        }
    }

    @Test(arguments: ["QOI", "BMP of 24 bits", "BMP with alpha", "icon"])
    func `a file of one column is read in blocks`(kind: String) throws {
        let file = NarrowImageTests.file(kind)
        for options in NarrowImageTests.sizes {
            let session = try #require(try session(file) as? FormatSession)
            let image = try session.decode(options)
            #expect(image.size.width == 1)
            #expect(packed(image).suffix(4) == [3, 2, 1, 255])
            // Each read is a step.
            let steps = session.chain.watch.steps
            #expect(steps <= NarrowImageTests.rows / 50, "\(steps) steps")
        }
    }

    /// Returns a file of one column: blue 1, green 2, red 3.
    private static func file(_ kind: String) -> Data {
        let bytes: [UInt8] = kind == "BMP of 24 bits" ? [1, 2, 3] : [1, 2, 3, 255]
        let pixels = [[UInt8]](repeating: bytes, count: rows)
        switch kind {
        case "QOI":
            let sides = HandmadePNG.big(1, 4) + HandmadePNG.big(rows, 4)
            return Data(Array("qoif".utf8) + sides + [4, 0]) + FileTable.repeated([0xFE, 3, 2, 1], rows)
        case "BMP with alpha":
            let masks: [UInt32] = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]
            return HandmadeBMP(
                width: 1, height: rows, bits: 32, compression: 3, headerLength: 56, masks: masks, rows: pixels
            ).data
        case "icon":
            let image = HandmadeBMP(width: 1, height: 2 * rows, bits: 32, rows: pixels)
            let entry = Data(image.dib + image.pixels) + FileTable.repeated([0, 0, 0, 0], rows)
            let place = [UInt8](repeating: 0, count: 8) + little(entry.count, 4) + little(22, 4)
            return Data(little(0, 2) + little(1, 2) + little(1, 2) + place) + entry
        default: return HandmadeBMP(width: 1, height: rows, bits: 24, rows: pixels).data
        }
    }
}

/// Rows of zeros that count how often they are read.
private final class CountingRows: RowSource {
    let size: PixelSize
    let layout = SampleLayout.rgba8
    let isWhole = false
    private(set) var reads = 0
    private var next = 0

    init(_ size: PixelSize) { self.size = size }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        reads += 1
        let count = min(memory.rows, size.height - next)
        for row in 0..<count { (memory.base + row * memory.bytesPerRow).storeBytes(of: 0, as: UInt32.self) }
        next += count
        return RowProgress(rows: count, state: next == size.height ? .end : .more)
    }
}
