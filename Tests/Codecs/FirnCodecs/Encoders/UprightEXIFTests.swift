import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests EXIF data of images that were rotated upright.
@Suite struct UprightEXIFTests {
    private let size = PixelSize(width: 300, height: 70_000)

    @Test(arguments: [false, true])
    func `the orientation becomes 1, sizes those of the image, and the thumbnail is removed`(isBig: Bool)
        throws
    {
        var given = HandmadeEXIF()
        given.isBig = isBig
        let data = try #require(UprightEXIF.data(given.data, for: size))
        let directories = try #require(EXIFDirectories(data))
        let first = directories.first
        #expect(directories.entries(first).map(\.tag) == [0x0100, 0x0112, 0x010F, 0x8769])
        #expect(directories.value(0x0112, in: first) == 1)
        #expect(directories.value(0x0100, in: first) == 300)
        let details = directories.value(0x8769, in: first)
        #expect(directories.value(0xA002, in: details) == 300)
        #expect(directories.value(0xA003, in: details) == 70_000)
        #expect(directories.second == nil && directories.thumbnail == nil)
        #expect(data.firstRange(of: Data("Me\0".utf8)) != nil)
        #expect(!data.contains(0xAB))
        #expect(data.count == given.data.count - given.thumbnail.count)
    }

    @Test func `the name before the data is taken off`() throws {
        let plain = HandmadeEXIF().data
        #expect(UprightEXIF.data(Data("Exif\0\0".utf8) + plain, for: size) == UprightEXIF.data(plain, for: size))
    }

    @Test func `data that is not a TIFF file is ignored`() {
        for data in [Data(), Data("Exif\0\0".utf8), Data("II*".utf8), Data(repeating: 0, count: 100)] {
            #expect(UprightEXIF.data(data, for: size) == nil)
        }
    }

    @Test func `a thumbnail's directory within the header leaves EXIF data`() throws {
        // One field, and a link to offset 1.
        let entry: [UInt8] = [0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0]
        let data = Data(Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0] + entry + [1, 0, 0, 0])
        let upright = try #require(UprightEXIF.data(data, for: size))
        #expect(EXIFDirectories(upright)?.orientation == .up)
    }

    @Test func `damaged data never grow and are never read beyond their end`() {
        let whole = HandmadeEXIF().data
        var numbers = RepeatableNumbers(seed: 7)
        for count in 8..<whole.count {
            var cut = whole.prefix(count)
            #expect((UprightEXIF.data(cut, for: size)?.count ?? 0) <= count)
            for _ in 0..<20 {
                cut[Int.random(in: 4..<count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            #expect((UprightEXIF.data(cut, for: size)?.count ?? 0) <= count)
        }
    }
}
