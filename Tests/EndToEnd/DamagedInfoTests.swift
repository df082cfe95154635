import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests what `firn info` says of files that are cut short, and the values of EXIF data.
@Suite final class DamagedInfoTests: CommandSuite {
    private static let endings = ["jpg", "png", "webp", "gif", "bmp", "tiff", "avif", "jxl", "ico"].filter { ending in
        ImageEncoders.formats.contains(ImageFormat(rawValue: ending == "jpg" ? "jpeg" : ending))
    }

    @Test(arguments: endings) func `A file that is cut short is damaged, a whole one is not`(ending: String) throws {
        try scratch.write("a.png", Images.png(60, 50))
        #expect(try firn.run(["convert", "a.png", "-o", "whole.\(ending)"], in: scratch).status == 0)
        let whole = try scratch.data("whole.\(ending)")
        let fine = try firn.run(["info", "whole.\(ending)"], in: scratch)
        #expect(fine.status == 0 && fine.errors.isEmpty && !fine.output.contains("damaged"), "\(fine.errors)")
        for part in [3, 5, 9] {
            try scratch.write("cut.\(ending)", whole.prefix(whole.count * part / 10))
            let run = try firn.run(["info", "cut.\(ending)"], in: scratch)
            #expect(
                run.status == 1 && run.errors.hasPrefix("firn: cut.\(ending): "), "\(part) \(run.output)\(run.errors)")
        }
    }

    @Test func `A damaged file is still described, as text and as JSON`() throws {
        let jpeg = try Images.jpeg(60, 50)
        try scratch.write("cut.jpg", jpeg.prefix(jpeg.count * 3 / 4))
        let damage = "the file is cut short: bytes of its image are missing"
        let run = try firn.run(["info", "cut.jpg"], in: scratch)
        #expect(run.output.hasPrefix("cut.jpg: jpeg 60x50, ") && run.output.contains(", damaged, "), "\(run.output)")
        #expect(run.errorLines == ["firn: cut.jpg: \(damage)"])
        let json = try firn.run(["info", "--json", "cut.jpg"], in: scratch)
        #expect(
            json.status == 1 && json.output.contains(#""width":60,"#)
                && json.output.contains(#","damage":"\#(damage)","#))
    }

    @Test func `metadata are values in JSON by the names of ExifTool, and the place has signs`() throws {
        func number(_ value: Int, _ length: Int) -> [UInt8] {
            (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(kind, 2) + number(count, 4) + number(value, 4)
        }
        let (details, gps) = (8 + 2 + 24 + 4, 8 + 2 + 24 + 4 + 2 + 48 + 4)
        let values = gps + 2 + 48 + 4
        var exif = Array("II*\0".utf8) + number(8, 4) + number(2, 2)
        exif += entry(0x8769, 4, 1, details) + entry(0x8825, 4, 1, gps) + number(0, 4)
        exif += number(4, 2) + entry(0x829A, 5, 1, values) + entry(0x8827, 3, 1, 400)
        exif += entry(0x9003, 2, 20, values + 8) + entry(0x9209, 3, 1, 1) + number(0, 4)
        exif += number(4, 2) + entry(1, 2, 2, 0x53) + entry(2, 5, 3, values + 28) + entry(3, 2, 2, 0x57)
        exif += entry(4, 5, 3, values + 28) + number(0, 4)
        exif += number(1, 4) + number(8, 4) + Array("2026:11:21 19:30:00\0".utf8)
        exif += [12, 1, 30, 1, 0, 1].flatMap { number($0, 4) }
        let metadata = EncodingMetadata(exif: Data(exif))
        try scratch.write(
            "a.jpg", JPEGEncoder().encode(Images.bitmap(8, 8), metadata: metadata, cancellation: CancellationFlag()))
        let run = try firn.run(["info", "--json", "a.jpg"], in: scratch)
        #expect(
            run.output.contains(
                #""schema":1,"packets":{"exif":\#(exif.count)},"metadata":{"DateTimeOriginal":"2026:11:21 19:30:00","#
                    + #""ISO":400,"ExposureTime":0.125,"Flash":1,"GPSLatitude":-12.5,"GPSLongitude":-12.5}}"#),
            "\(run.output)")
        let stripped = try firn.run(["convert", "a.jpg", "-o", "b.jpg", "--keep", "all-but-place"], in: scratch)
        #expect(stripped.status == 0, "\(stripped.errors)")
        let after = try firn.run(["info", "--json", "b.jpg"], in: scratch)
        #expect(after.output.contains(#""ISO":400"#) && !after.output.contains("GPS"), "\(after.output)")
        for words in [["--keep", "none", "--keep-profile"], ["--keep", "everything"], ["--keep", ""]] {
            #expect(try firn.run(["convert", "a.jpg", "-o", "c.jpg"] + words, in: scratch).status == 2)
        }
    }
}
