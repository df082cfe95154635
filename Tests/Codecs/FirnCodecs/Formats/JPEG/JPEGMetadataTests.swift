import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct JPEGMetadataTests {
    private static func file(_ segments: [(code: UInt8, content: Data)] = []) throws -> Data {
        let plain = try JPEGEncoder(quality: 0.9).encode(JPEGImages.plain(20, 40, 200, width: 64, height: 48))
        return JPEGImages.inserting(segments, into: withoutJFIF(plain))
    }

    /// Returns a file without the APP0 segment at its start.
    private static func withoutJFIF(_ file: Data) -> Data {
        guard file[3] == 0xE0 else { return file }
        return file.prefix(2) + file.dropFirst(4 + Int(file[4]) << 8 + Int(file[5]))
    }

    private static func exifSegment(_ exif: Data) -> (code: UInt8, content: Data) {
        (0xE1, Data("Exif\0\0".utf8) + exif)
    }

    private func properties(_ segments: [(code: UInt8, content: Data)]) throws -> ImageProperties {
        try #require(try session(JPEGMetadataTests.file(segments)).properties())
    }

    @Test func `EXIF data and an XMP packet are returned without their prefixes`() throws {
        let exif = EXIFSegments.data([(0x0112, 3, 8)])
        let packet = Data("<x:xmpmeta/>".utf8)
        let found = try properties([
            JPEGMetadataTests.exifSegment(exif), (0xE1, Data("http://ns.adobe.com/xap/1.0/\0".utf8) + packet),
            JPEGMetadataTests.exifSegment(Data([1, 2, 3])),
        ])
        #expect(found.exif == exif)
        #expect(found.xmp == packet)
        #expect(found.orientation == .left)
        let none = try properties([])
        #expect(none.exif == nil && none.xmp == nil && none.resolution == nil && none.orientation == .up)
    }

    @Test(arguments: [(1, 300, 150, 300.0, 150.0), (2, 100, 50, 254.0, 127.0), (0, 1, 1, 0.0, 0.0)])
    func `density is read from JFIF`(unit: Int, x: Int, y: Int, across: Double, down: Double) throws {
        let numbers = [1, 2, unit, x >> 8, x & 255, y >> 8, y & 255, 0, 0].map { UInt8($0) }
        let resolution = try properties([(0xE0, Data("JFIF\0".utf8) + Data(numbers))]).resolution
        if unit == 0 {
            #expect(resolution == nil)
        } else {
            #expect(abs(try #require(resolution).horizontal - across) < 0.1)
            #expect(abs(try #require(resolution).vertical - down) < 0.1)
        }
    }

    @Test func `density is read from EXIF if JFIF states none`() throws {
        let entries = [(0x011A, 5, 0), (0x011B, 5, 1), (0x0128, 3, 3)].map { (tag: $0.0, type: $0.1, value: $0.2) }
        let exif = EXIFSegments.data(entries, fractions: [(200, 2), (50, 1)])
        let resolution = try #require(try properties([JPEGMetadataTests.exifSegment(exif)]).resolution)
        #expect(abs(resolution.horizontal - 254) < 0.1 && abs(resolution.vertical - 127) < 0.1)
    }

    @Test func `damaged EXIF data are ignored`() throws {
        let exif = EXIFSegments.data([(0x0112, 3, 6), (0x011A, 5, 0)], fractions: [(72, 1)])
        for index in exif.indices {
            for value: UInt8 in [0, 0x7F, 0xFF] {
                var damaged = exif
                damaged[index] = value
                _ = try properties([JPEGMetadataTests.exifSegment(damaged)])
            }
            _ = try properties([JPEGMetadataTests.exifSegment(exif.prefix(index))])
        }
    }

    // MARK: The thumbnail

    /// Returns the red of the first pixel of the image, decoded to at most `side` pixels; the image is blue.
    private func red(_ thumbnail: Data, side: Int, allowed: Bool = true) throws -> Int {
        var options = straight()
        options.targetSize = TargetSize(side)
        options.allowsEmbeddedPreview = allowed
        let exif = EXIFSegments.data([], thumbnail: thumbnail)
        let file = try JPEGMetadataTests.file([JPEGMetadataTests.exifSegment(exif)])
        return try Int(packed(session(file).decode(options))[0])
    }

    private func thumbnail(width: Int, height: Int) throws -> Data {
        try JPEGEncoder().encode(JPEGImages.plain(230, 30, 10, width: width, height: height))
    }

    @Test func `a thumbnail replaces the image if allowed and large enough`() throws {
        let file = try thumbnail(width: 32, height: 24)
        #expect(try red(file, side: 32) > 200)
        #expect(try red(file, side: 20) > 200)
        #expect(try red(file, side: 33) < 60)
        #expect(try red(file, side: 32, allowed: false) < 60)
    }

    @Test func `a thumbnail of another shape, or a damaged one, is ignored`() throws {
        #expect(try red(thumbnail(width: 32, height: 26), side: 24) < 60)
        #expect(try red(thumbnail(width: 32, height: 24).prefix(400), side: 24) < 60)
        #expect(try red(Data([1, 2, 3]), side: 24) < 60)
    }
}
