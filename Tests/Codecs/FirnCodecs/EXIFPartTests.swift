import FirnCodecs
import FoundationEssentials
import Testing

@Suite struct EXIFPartTests {
    /// EXIF data with an artist, a place (GPS), a body's serial number, a maker note and an exposure.
    private static func exif() -> [UInt8] {
        func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(kind, 2) + number(count, 4) + number(value, 4)
        }
        let main = 8
        let details = main + 2 + 12 * 3 + 4
        let gps = details + 2 + 12 * 3 + 4
        let values = gps + 2 + 12 * 2 + 4
        var file: [UInt8] = Array("II*\0".utf8) + number(main, 4) + number(3, 2)
        file += entry(0x013B, 2, 8, values) + entry(0x8769, 4, 1, details) + entry(0x8825, 4, 1, gps) + number(0, 4)
        file += number(3, 2) + entry(0x829A, 5, 1, values + 8) + entry(0x927C, 7, 8, values + 16)
        file += entry(0xA431, 2, 8, values + 24) + number(0, 4)
        file += number(2, 2) + entry(1, 2, 2, 0x4E) + entry(2, 5, 3, values + 32) + number(0, 4)
        file += Array("Artist7\0".utf8) + number(1, 4) + number(250, 4)
        file += Array("MAKERxyz".utf8) + Array("SERIAL7\0".utf8)
        for part in [52, 1, 31, 1, 5, 1] { file += number(part, 4) }
        return file
    }

    private static func number(_ value: Int, _ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func contains(_ text: String, _ data: Data) -> Bool { data.firstRange(of: Data(text.utf8)) != nil }

    @Test func `Without the place, everything else is there at its place`() throws {
        let exif = Data(EXIFPartTests.exif())
        let stripped = try #require(EXIFPart.removing([.gps], from: exif))
        let tiff = try #require(EXIFDirectories(stripped))
        #expect(stripped.count == exif.count)
        #expect(tiff.value(0x8825, in: tiff.first) == nil)
        #expect(tiff.text(0x013B, in: tiff.first) == "Artist7")
        let details = try #require(tiff.value(0x8769, in: tiff.first))
        #expect(tiff.numbers(0x829A, in: details) == [0.004])
        #expect(tiff.text(0xA431, in: details) == "SERIAL7")
        // The degrees themselves are overwritten, and so is their directory.
        #expect(stripped.suffix(24).allSatisfy { $0 == 0 })
        #expect(exif.firstRange(of: Data([2, 0, 5, 0, 3, 0])) != nil)
        #expect(stripped.firstRange(of: Data([2, 0, 5, 0, 3, 0])) == nil)
    }

    @Test func `Without serials, maker notes are gone, too, and the place stays`() throws {
        let stripped = try #require(EXIFPart.removing([.serials], from: Data(EXIFPartTests.exif())))
        let tiff = try #require(EXIFDirectories(stripped))
        #expect(!contains("SERIAL7", stripped) && !contains("MAKERxyz", stripped) && contains("Artist7", stripped))
        #expect(tiff.numbers(2, in: tiff.value(0x8825, in: tiff.first)) == [52, 31, 5])
        #expect(tiff.numbers(0x829A, in: tiff.value(0x8769, in: tiff.first)) == [0.004])
    }

    @Test func `Damaged data are dropped rather than kept with a part, and harm nothing`() throws {
        let exif = EXIFPartTests.exif()
        let parts = Set(EXIFPart.allCases)
        for length in 0..<40 { #expect(EXIFPart.removing(parts, from: Data(exif.prefix(length))) == nil) }
        for place in exif.indices {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var changed = exif
                changed[place] = value
                let stripped = EXIFPart.removing(parts, from: Data(changed))
                #expect(stripped == nil || stripped?.count == exif.count)
            }
        }
        #expect(EXIFPart.removing([], from: Data("no EXIF".utf8)) == Data("no EXIF".utf8))
    }
}
