import FirnCodecs
import FirnReport
import FoundationEssentials
import Testing

@Suite struct ImageMetadataTextTests {
    /// Returns a TIFF file with one directory of fields (tag, type, count, value or offset) and bytes after it.
    private static func tiff(
        isBigEndian: Bool = false, _ entries: [(tag: Int, type: Int, count: Int, value: Int)], _ more: [UInt8] = []
    ) -> Data {
        func number(_ value: Int, _ length: Int) -> [UInt8] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return isBigEndian ? bytes.reversed() : bytes
        }
        var bytes: [UInt8] = isBigEndian ? [0x4D, 0x4D, 0, 0x2A] : [0x49, 0x49, 0x2A, 0]
        bytes += number(8, 4) + number(entries.count, 2)
        for entry in entries {
            let isShort = entry.type == 3 && entry.count == 1
            bytes += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
            bytes += isShort ? number(entry.value, 2) + [0, 0] : number(entry.value, 4)
        }
        return Data(bytes + number(0, 4) + more)
    }

    /// Returns the position of the bytes after a directory of `entries` fields.
    private static func end(_ entries: Int) -> Int { 8 + 2 + 12 * entries + 4 }

    @Test(arguments: [false, true])
    func `A model is read in either order of bytes`(_ isBigEndian: Bool) {
        let data = ImageMetadataTextTests.tiff(
            isBigEndian: isBigEndian, [(0x0110, 2, 8, ImageMetadataTextTests.end(1))], Array("Model 7\0".utf8))
        #expect(ImageMetadata(exif: data).fields.map(\.text) == ["Model 7"])
        #expect(ImageMetadata(exif: data).fields.map(\.name) == ["Camera"])
    }

    @Test func `A maker is said once`() {
        let end = ImageMetadataTextTests.end(2)
        let data = ImageMetadataTextTests.tiff(
            [(0x010F, 2, 6, end), (0x0110, 2, 8, end + 6)], Array("Firn \0Firn X1\0".utf8))
        #expect(ImageMetadata(exif: data).fields.map(\.text) == ["Firn X1"])
    }

    @Test func `Exposure, aperture and sensitivity are read from the list below`() {
        let below = ImageMetadataTextTests.end(1)
        let values = below + 2 + 12 * 3 + 4
        var inner: [UInt8] = [3, 0]
        inner += [0x9A, 0x82, 5, 0, 1, 0, 0, 0, UInt8(values), 0, 0, 0]
        inner += [0x9D, 0x82, 5, 0, 1, 0, 0, 0, UInt8(values + 8), 0, 0, 0]
        inner += [0x27, 0x88, 3, 0, 1, 0, 0, 0, 0x90, 1, 0, 0]
        inner += [0, 0, 0, 0] + [1, 0, 0, 0, 250, 0, 0, 0] + [28, 0, 0, 0, 10, 0, 0, 0]
        let fields = ImageMetadata(exif: ImageMetadataTextTests.tiff([(0x8769, 4, 1, below)], inner)).fields
        #expect(fields.map(\.text) == ["1/250 s", "f/2.8", "ISO 400"])
    }

    @Test func `A fraction with nothing below the line is left out`() {
        let below = ImageMetadataTextTests.end(1)
        let inner: [UInt8] =
            [1, 0, 0x9D, 0x82, 5, 0, 1, 0, 0, 0, UInt8(below + 18), 0, 0, 0, 0, 0, 0, 0] + [28, 0, 0, 0, 0, 0, 0, 0]
        #expect(ImageMetadata(exif: ImageMetadataTextTests.tiff([(0x8769, 4, 1, below)], inner)).fields.isEmpty)
    }

    @Test func `Control characters in a text become spaces`() {
        let data = ImageMetadataTextTests.tiff(
            [(0x013B, 2, 5, ImageMetadataTextTests.end(1))], Array("A\u{1B}\nB\0".utf8))
        #expect(ImageMetadata(exif: data).fields.map(\.text) == ["A B"])
    }

    @Test func `fields are values`() {
        let below = ImageMetadataTextTests.end(1)
        let values = below + 2 + 12 * 6 + 4
        func entry(_ tag: [UInt8], _ type: UInt8, _ count: UInt8, _ value: [UInt8]) -> [UInt8] {
            tag + [type, 0, count, 0, 0, 0] + value
        }
        func place(_ offset: Int) -> [UInt8] { [UInt8(values + offset), 0, 0, 0] }
        var inner: [UInt8] = [6, 0]
        inner += entry([0x9A, 0x82], 5, 1, place(0)) + entry([0x9D, 0x82], 5, 1, place(8))
        inner += entry([0x27, 0x88], 3, 1, [0x90, 1, 0, 0]) + entry([0x03, 0x90], 2, 20, place(16))
        inner += entry([0x11, 0x90], 2, 7, place(36)) + entry([0x09, 0x92], 3, 1, [1, 0, 0, 0])
        inner += [0, 0, 0, 0] + [1, 0, 0, 0, 250, 0, 0, 0] + [28, 0, 0, 0, 10, 0, 0, 0]
        inner += Array("2026:11:21 19:30:05\0-01:30\0".utf8)
        let fields = ImageMetadata(exif: ImageMetadataTextTests.tiff([(0x8769, 4, 1, below)], inner))
        #expect(fields.exposureSeconds == 0.004 && fields.aperture == 2.8 && fields.sensitivity == 400)
        #expect(fields.flashFired == true && fields.camera == nil && fields.latitude == nil)
        let taken = fields.taken
        #expect(taken?.year == 2026 && taken?.month == 11 && taken?.day == 21)
        #expect(taken?.hour == 19 && taken?.minute == 30 && taken?.second == 5)
        #expect(taken?.timeZone?.secondsFromGMT() == -5_400)
        #expect(fields.takenText == "2026-11-21 19:30:05")
        #expect(
            fields.json.text == #"{"DateTimeOriginal":"2026:11:21 19:30:05-01:30","ISO":400,"#
                + #""ExposureTime":0.004,"FNumber":2.8,"Flash":1}"#)
    }

    @Test(arguments: [
        ("    :  :     :  :  \0", nil), ("0000:00:00 00:00:00\0", nil), ("                   \0", nil),
        ("0000:00:00 12:30:00\0", nil), ("2026:00:00 00:00:00\0", nil), ("2026:  :     :  :  \0", nil),
        ("2026:11:21   :  :  \0", "2026-11-21"), ("2026:11:21 19:30:05\0", "2026-11-21 19:30:05"),
    ])
    func `a date of spaces or zeros is ignored, and the next field is used`(stated: String, text: String?) {
        let below = ImageMetadataTextTests.end(2)
        let values = below + 2 + 12 + 4
        let inner: [UInt8] =
            [1, 0, 0x03, 0x90, 2, 0, 20, 0, 0, 0, UInt8(values), 0, 0, 0, 0, 0, 0, 0] + Array(stated.utf8)
            + Array("2025:01:02 03:04:05\0".utf8)
        let changed = (0x0132, 2, 20, values + 20)
        let fields = ImageMetadata(exif: ImageMetadataTextTests.tiff([changed, (0x8769, 4, 1, below)], inner))
        #expect(fields.takenText == text ?? "2025-01-02 03:04:05")
        #expect(
            ImageMetadata(exif: ImageMetadataTextTests.tiff([(0x0000, 3, 1, 0), (0x8769, 4, 1, below)], inner))
                .takenText == text)
    }

    @Test func `an invalid time has text but no value`() {
        let data = ImageMetadataTextTests.tiff(
            [(0x0132, 2, 20, ImageMetadataTextTests.end(1))], Array("2026:13:41 19:30:05\0".utf8))
        #expect(ImageMetadata(exif: data).taken == nil)
        #expect(ImageMetadata(exif: data).fields.map(\.text) == ["2026-13-41 19:30:05"])
    }

    @Test func `Every cut and every changed byte is read without harm`() {
        let below = ImageMetadataTextTests.end(2)
        let inner: [UInt8] =
            [1, 0, 0x9A, 0x82, 5, 0, 1, 0, 0, 0, UInt8(below + 18), 0, 0, 0, 0, 0, 0, 0] + [1, 0, 0, 0, 2, 0, 0, 0]
        let whole = ImageMetadataTextTests.tiff([(0x0110, 2, 4, 0x0058_5858), (0x8769, 4, 1, below)], inner)
        #expect(ImageMetadata(exif: whole).fields.map(\.text) == ["XXX", "0.5 s"])
        for length in 0..<whole.count { #expect(ImageMetadata(exif: whole.prefix(length)).fields.count < 3) }
        for place in 0..<whole.count {
            for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                var changed = whole
                changed[place] = value
                #expect(ImageMetadata(exif: changed).fields.count < 3)
            }
        }
    }
}
