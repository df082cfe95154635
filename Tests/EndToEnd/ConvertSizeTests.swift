import FirnCodecs
import FirnImage
import FirnProcessing
import FoundationEssentials
import Testing

/// Tests `--max-bytes`, `--rotate` and `--pages` of `firn convert`.
@Suite final class ConvertSizeTests: CommandSuite {
    override init() throws {
        try super.init()
        try scratch.write("a.png", Images.png(120, 90))
    }

    private static let lossy = ["jpg", "webp", "avif", "jxl"].filter {
        ImageEncoders.formats.contains($0 == "jpg" ? .jpeg : ImageFormat(rawValue: $0))
    }

    @Test(arguments: lossy) func `A file has at most the bytes, at the highest quality that has`(ending: String) throws
    {
        let whole = try firn.run(["convert", "a.png", "-o", "whole.\(ending)", "--quality", "95"], in: scratch)
        #expect(whole.status == 0)
        let most = try scratch.data("whole.\(ending)").count * 2 / 3
        let words = ["convert", "a.png", "-o", "x.\(ending)", "--quality", "95", "--max-bytes", "\(most)", "--json"]
        let run = try firn.run(words, in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        struct Line: Decodable { let bytes, quality: Int }
        let line = try JSONDecoder().decode(Line.self, from: Data(run.output.utf8))
        #expect(try line.bytes <= most && scratch.data("x.\(ending)").count == line.bytes)
        let next = ["convert", "a.png", "-o", "y.\(ending)", "--quality", "\(line.quality + 1)"]
        #expect(try firn.run(next, in: scratch).status == 0)
        #expect(try scratch.data("y.\(ending)").count > most)
    }

    @Test func `A file that is small enough has the quality that was asked for`() throws {
        for words in [[], ["--max-bytes", "200k"], ["--max-bytes", "1.5M"]] {
            let run = try firn.run(["convert", "a.png", "-o", "x\(words.count).jpg"] + words, in: scratch)
            #expect(run.status == 0 && !run.output.contains("quality"), "\(run.output)\(run.errors)")
        }
        #expect(try scratch.data("x0.jpg") == scratch.data("x2.jpg"))
    }

    @Test func `A number of bytes that no quality reaches is an error, and no file is written`() throws {
        let run = try firn.run(["convert", "a.png", "-o", "x.jpg", "--max-bytes", "100"], in: scratch)
        #expect(run.status == 1)
        #expect(run.errors.contains("--max-bytes allows 100; name a smaller --size"), "\(run.errors)")
        #expect(scratch.files() == ["a.png"])
        for words in [["-o", "x.png", "--max-bytes", "9k"], ["-o", "x.webp", "--lossless", "--max-bytes", "9k"]] {
            #expect(try firn.run(["convert", "a.png"] + words, in: scratch).status == 2)
        }
        for wrong in ["0", "-1", "k", "nan", "1e30", "9x"] {
            #expect(try firn.run(["convert", "a.png", "-o", "x.jpg", "--max-bytes=\(wrong)"], in: scratch).status == 2)
        }
    }

    @Test func `An animation is fitted as a whole`() throws {
        try scratch.write("in.webp", Images.animation(WebPEncoder(quality: 0.9)))
        let most = try scratch.data("in.webp").count / 2
        let run = try firn.run(["convert", "in.webp", "-o", "x.webp", "--max-bytes", "\(most)"], in: scratch)
        #expect(run.status == 0 && run.output.contains(", quality "), "\(run.output)\(run.errors)")
        #expect(try scratch.data("x.webp").count <= most)
    }

    @Test(arguments: [("90", 90, 120), ("180", 120, 90), ("270", 90, 120), ("-90", 90, 120)])
    func `A rotation turns clockwise, and the size is that of the turned image`(
        degrees: String, width: Int, height: Int
    ) throws {
        let run = try firn.run(["convert", "a.png", "-o", "x.png", "--rotate", degrees], in: scratch)
        #expect(run.output.contains(": \(width)x\(height)"), "\(run.output)\(run.errors)")
        let small = try firn.run(
            ["convert", "a.png", "-o", "small.png", "--rotate", degrees, "--size", "\(width / 3)x1000"], in: scratch)
        #expect(small.output.contains(": \(width / 3)x\(height / 3)"), "\(small.output)\(small.errors)")
        let back = try firn.run(
            ["convert", "x.png", "-o", "back.png", "--rotate=\(-(Int(degrees) ?? 0))"], in: scratch)
        #expect(back.status == 0, "\(back.errors)")
        #expect(try firn.run(["compare", "a.png", "back.png"], in: scratch).status == 0)
        #expect(try firn.run(["compare", "a.png", "x.png"], in: scratch).status == 1)
    }

    @Test func `A quarter turn puts the left column on top`() throws {
        #expect(try firn.run(["convert", "a.png", "-o", "x.png", "--rotate", "90"], in: scratch).status == 0)
        let (before, after) = (try Images.decoded(scratch.data("a.png")), try Images.decoded(scratch.data("x.png")))
        let corner = before.withUnsafeBytes { Array($0[(89 * before.bytesPerRow)..<(89 * before.bytesPerRow + 4)]) }
        #expect(after.withUnsafeBytes { Array($0[0..<4]) } == corner)
        #expect(try firn.run(["convert", "a.png", "-o", "x.png", "--rotate", "45"], in: scratch).status == 2)
    }

    /// Returns a TIFF file with gray pages of 8 bits, each of another width.
    private static func tiff(widths: [Int]) -> Data {
        func number(_ value: Int, _ length: Int) -> [UInt8] {
            (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var file = Array("II*\0".utf8) + number(8, 4)
        for (page, width) in widths.enumerated() {
            let fields = [
                (256, width), (257, 2), (258, 8), (259, 1), (262, 1), (273, 0), (277, 1), (278, 2), (279, 2 * width),
            ]
            let pixels = file.count + 2 + 12 * fields.count + 4
            file += number(fields.count, 2)
            for (tag, value) in fields {
                file += number(tag, 2) + number(4, 2) + number(1, 4) + number(tag == 273 ? pixels : value, 4)
            }
            let next = pixels + 2 * width
            file += number(page + 1 < widths.count ? next + next % 2 : 0, 4)
            file += [UInt8](repeating: UInt8(40 * (page + 1)), count: 2 * width) + (next % 2 == 0 ? [] : [0])
        }
        return Data(file)
    }

    @Test(.enabled(if: ImageDecoders.standard.contains { $0.recognizes(Data([0x49, 0x49, 42, 0])) != nil }))
    func `Every page of a TIFF becomes a file of its own`() throws {
        try scratch.write("scan.tiff", ConvertSizeTests.tiff(widths: [4, 5, 6]))
        let first = try firn.run(["convert", "scan.tiff", "-o", "x.png"], in: scratch)
        #expect(
            first.output.hasPrefix("scan.tiff -> x.png: 4x2, the first of 3 frames"), "\(first.output)\(first.errors)")
        let run = try firn.run(["convert", "scan.tiff", "-o", "x.png", "--pages"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.map { $0.prefix { $0 != "," } } == (1...3).map { "scan.tiff -> x-\($0).png: \(3 + $0)x2" })
        for page in 1...3 {
            let image = try Images.decoded(scratch.data("x-\(page).png"))
            #expect(image.withUnsafeBytes { $0[0] } == UInt8(40 * page))
        }
        let json = try firn.run(
            ["convert", "scan.tiff", "--format", "bmp", "-o", "out", "--pages", "--json"], in: scratch)
        #expect(json.output.hasPrefix(#"{"path":"scan.tiff","pages":[{"out":"out/scan-1.bmp","width":4,"height":2,"#))
        #expect(scratch.files(below: "out") == ["scan-1.bmp", "scan-2.bmp", "scan-3.bmp"])
        let half = try firn.run(
            ["convert", "scan.tiff", "--format", "png", "-o", "half", "--pages", "-s", "50%"], in: scratch)
        #expect(half.lines.last?.contains("half/scan-3.png: 3x1") == true, "\(half.output)")
    }

    @Test func `Pages exclude what writes one file`() throws {
        for words in [["-o", "-", "--format", "png"], ["-o", "x.png", "--still"]] {
            #expect(try firn.run(["convert", "a.png", "--pages"] + words, in: scratch).status == 2)
        }
    }
}
