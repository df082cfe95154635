import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests what `firn convert` keeps and says of a source: resolution, pages, durations, and what is lost.
@Suite final class ConvertLossTests: CommandSuite {
    /// The part of a line of JSON that is looked at.
    private struct Line: Decodable {
        struct Page: Decodable {
            struct Resolution: Decodable { let x, y: Double }
            let displayWidth, displayHeight, orientation, bitDepth: Int
            let resolution: Resolution?
        }
        let lost: [String]?
        let warnings: [String]?
        let resolution: Page.Resolution?
        let durationsMs: [Int]?
        let pages: [Page]?
    }

    private func line(_ words: String...) throws -> Line {
        let run = try firn.run(words + ["--json"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        return try JSONDecoder().decode(Line.self, from: Data(run.output.utf8))
    }

    private func scan(_ format: ImageFormat, exif: Data? = nil) throws {
        let metadata = EncodingMetadata(exif: exif, resolution: ImageResolution(horizontal: 600, vertical: 300))
        let encoder = try #require(ImageEncoders.encoder(for: format))
        try scratch.write(
            "scan.\(format.rawValue)",
            encoder.encode(Images.bitmap(40, 20), metadata: metadata, cancellation: CancellationFlag()))
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .tiff, .bmp])
    func `The resolution stays, and follows the size`(format: ImageFormat) throws {
        try scan(format)
        let cases: [(words: [String], x: Double, y: Double)] = [
            ([], 600.0, 300.0), (["--size", "20x"], 300, 150), (["--process", "resize=10x"], 150, 75),
            (["--rotate", "90"], 300, 600), (["--rotate", "90", "--size", "10x"], 150, 300),
            (["--process", "crop=10x10"], 600, 300),
        ]
        let types = ["jpg", "png", "tiff", "bmp", "webp"]
        // Each type as it is, and each change to one type.
        let runs = types.map { ($0, cases[0]) } + zip(types, cases.dropFirst())
        for (number, (type, (words, x, y))) in runs.enumerated() {
            let made = try firn.run(
                ["convert", "scan.\(format.rawValue)", "-o", "out\(number).\(type)"] + words, in: scratch)
            #expect(made.status == 0 && made.errors.isEmpty, "\(made.errors)")
            let found = try line("info", "out\(number).\(type)").resolution
            #expect(found?.x == x && found?.y == y, "\(words) \(type)")
        }
        #expect(try line("convert", "scan.\(format.rawValue)", "-o", "out.gif").lost == ["resolution"])
        #expect(try line("convert", "scan.\(format.rawValue)", "-o", "n.png", "--keep", "none").warnings == nil)
        #expect(try line("info", "n.png").resolution == nil)
    }

    @Test func `Lost metadata is a warning unless the options ask for it`() throws {
        let exif = try #require(CopyrightNotice(creator: "Ada", rights: "(c) Ada")).exif
        try scan(.png, exif: exif)
        #expect(try line("convert", "scan.png", "-o", "a.jpg").warnings == ["lost: EXIF data"])
        let kept = try line("convert", "scan.png", "-o", "b.jpg", "--keep", "all")
        #expect(kept.lost == [] && kept.warnings == nil)
        let asked = try line("convert", "scan.png", "-o", "c.jpg", "--keep", "profile")
        #expect(asked.lost == ["exif"] && asked.warnings == nil)
        let run = try firn.run(["convert", "scan.png", "-o", "d.gif"], in: scratch)
        #expect(run.errors.contains("firn: scan.png: warning: lost: EXIF data, resolution"))
    }

    @Test func `The frames of an animation, and their longest durations`() throws {
        let session = try WebPEncoder().makeAnimation(size: PixelSize(8), repetitions: .plays(2))
        for milliseconds in [0, 16_000_000] {
            let image = try Images.bitmap(8 + milliseconds / 16_000_000, 8)
            let frame = try ImageProcessors.Crop(x: milliseconds / 16_000_000, y: 0, width: 8, height: 8)
                .process(ImageContainer(image: image)).image
            try session.append(frame, duration: .milliseconds(milliseconds))
        }
        try scratch.write("in.webp", session.finish())
        #expect(try line("convert", "in.webp", "-o", "a.gif").lost == ["durations"])
        #expect(try line("info", "a.gif").durationsMs == [0, 655_350])
        #expect(try line("convert", "in.webp", "-o", "a.jpg").lost == ["frames"])
        #expect(try line("convert", "in.webp", "-o", "b.jpg", "--still").warnings == nil)
        if ImageEncoders.formats.contains(.jxl) {
            #expect(try line("convert", "in.webp", "-o", "a.jxl").lost == [])
            #expect(try line("info", "a.jxl").durationsMs == [100, 16_000_000])
        }
    }

    @Test func `A gain map that a copy leaves out is named`() throws {
        let file = try Images.jpeg(40, 30)
        let packet = Array(#"http://ns.adobe.com/xap/1.0/\#0<x:xmpmeta hdrgm:Version="1.0"/>"#.utf8)
        let segment = Data([0xFF, 0xE1, 0, UInt8(packet.count + 2)] + packet)
        try scratch.write("in.jpg", file.prefix(20) + segment + file.dropFirst(20))
        for words in [[], ["--keep", "all-but-place"]] {
            let run = try firn.run(["convert", "in.jpg", "-o", "out.jpg"] + words, in: scratch)
            #expect(run.errors.contains("firn: in.jpg: warning: lost: gain map"), "\(run.errors)")
        }
    }

    @Test(arguments: [[], ["--keep", "profile"], ["--size", "20x15"], ["--rotate", "90"]])
    func `A JPEG keeps the gain map of a JPEG`(words: [String]) throws {
        let image = try Images.bitmap(40, 30)
        let metadata = GainMap.Metadata(maximum: SIMD3(repeating: 2), alternateHeadroom: 2)
        let map = try #require(GainMap(image: try Images.bitmap(20, 15), metadata: metadata))
        try scratch.write(
            "in.jpg",
            JPEGEncoder().encode(image, metadata: EncodingMetadata(gainMap: map), cancellation: CancellationFlag()))
        let run = try firn.run(["convert", "in.jpg", "-o", "out.jpg"] + words, in: scratch)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        let decoder = ImageDecoder()
        try decoder.setData(scratch.data("out.jpg"), allDataReceived: true)
        let written = try #require(try decoder.gainMap())
        #expect(written.metadata == metadata)
        #expect(
            written.image.size
                == (words.contains("90") ? PixelSize(width: 15, height: 20) : PixelSize(width: 20, height: 15)))
        #expect(try firn.run(["convert", "in.jpg", "-o", "out.png"], in: scratch).errors.contains("lost: gain map"))
        let gray = try firn.run(["convert", "in.jpg", "-o", "gray.jpg", "--process", "gray"], in: scratch)
        #expect(gray.errors.contains("lost: gain map"))
    }

    /// Writes an image with a gain map.
    private func writeMap(_ format: ImageFormat) throws {
        let metadata = GainMap.Metadata(maximum: SIMD3(repeating: 2), alternateHeadroom: 2)
        let map = try #require(GainMap(image: try Images.bitmap(20, 15), metadata: metadata))
        let encoder = try #require(ImageEncoders.encoder(for: format, quality: 1))
        try scratch.write(
            "in.\(format.rawValue)",
            encoder.encode(
                Images.bitmap(40, 30), metadata: EncodingMetadata(gainMap: map), cancellation: CancellationFlag()))
    }

    @Test(arguments: ["none", "all"])
    func `JPEG, AVIF and JPEG XL keep each other's gain maps`(isolation: String) throws {
        for source in [ImageFormat.jpeg, .avif, .jxl] {
            try writeMap(source)
            for output in [ImageFormat.jpeg, .avif, .jxl] {
                let run = try firn.run(
                    ["convert", "in.\(source.rawValue)", "-o", "out.\(output.rawValue)", "--isolation", isolation],
                    in: scratch)
                #expect(run.status == 0 && run.errors.isEmpty, "\(source) \(output): \(run.errors)")
                let decoder = ImageDecoder()
                try decoder.setData(scratch.data("out.\(output.rawValue)"), allDataReceived: true)
                let map = try #require(try decoder.gainMap())
                #expect(map.image.size == PixelSize(width: 20, height: 15) && map.metadata.alternateHeadroom == 2)
            }
        }
    }

    @Test(arguments: ["convert", "decode"])
    func `A headroom renders the gain map`(command: String) throws {
        try writeMap(.jpeg)
        let decoder = ImageDecoder()
        try decoder.setData(scratch.data("in.jpeg"), allDataReceived: true)
        var options = DecodingOptions()
        options.pixelFormat = .rgbaHalfPremultiplied
        let (map, base) = (try #require(try decoder.gainMap()), try decoder.frame(at: 0, options: options).image())
        for format in ["png", "avif", "jxl"] {
            func converted(_ words: [String]) throws -> Data {
                let names =
                    command == "convert" ? ["in.jpeg", "-o", "out.\(format)"] : ["in.jpeg", "--out", "out.\(format)"]
                let run = try firn.run([command] + names + words, in: scratch)
                #expect(run.status == 0, "\(run.errors)")
                return try scratch.data("out.\(format)")
            }
            let plain = try converted([])
            #expect(try converted(["--headroom", "1"]) == plain)
            let bright = ImageDecoder()
            try bright.setData(converted(["--headroom", "2"]), allDataReceived: true)
            let image = try bright.frame(at: 0, options: options).image()
            func light(_ image: Bitmap) -> [Float] {
                image.withUnsafeBytes { bytes in
                    bytes.bindMemory(to: UInt16.self).map { Float(Float16(bitPattern: $0)) }
                }
            }
            let (found, expected) = (light(image), light(try map.applied(to: base, headroom: 2)))
            let differences = zip(found, expected).map { abs($0 - $1) / max($1, 0.1) }.sorted()
            // PNG is exact up to the steps of both curves; the others are lossy.
            #expect(differences[differences.count / 2] < (format == "png" ? 0.005 : 0.15), "\(format)")
            #expect(try #require(expected.max()) > 1.5)
        }
        for (name, headroom) in [("out.png", "0.5"), ("out.webp", "2")] {
            let words = [command, "in.jpeg", "--out", name, "--headroom", headroom]
            #expect(try firn.run(words, in: scratch).status == 2)
        }
    }

    @Test(arguments: ["none", "complex", "all"])
    func `Pages have their own orientation and size`(isolation: String) throws {
        try scratch.write("in.tiff", Images.turnedPages)
        let pages = try #require(try line("info", "in.tiff", "--isolation", isolation).pages)
        #expect(pages.map(\.orientation) == [6, 1, 3])
        #expect(pages.map(\.displayWidth) == [1, 3, 2] && pages.map(\.displayHeight) == [2, 1, 1])
        #expect(pages.map { $0.resolution?.x } == [300, 300, 300])
        let run = try firn.run(
            ["convert", "in.tiff", "--pages", "--format", "png", "-o", "out", "--isolation", isolation], in: scratch)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        for (index, levels) in [[1, 2], [3, 4, 5], [7, 6]].enumerated() {
            let image = try Images.decoded(scratch.data("out/in-\(index + 1).png"))
            #expect(image.size == PixelSize(width: pages[index].displayWidth, height: pages[index].displayHeight))
            #expect(
                image.withUnsafeBytes { bytes in
                    levels.indices.allSatisfy { place in
                        let offset = index == 0 ? place * image.bytesPerRow : place * 4
                        return Int(bytes[offset]) == levels[place]
                    }
                })
        }
    }

    @Test(arguments: ["time=0.5", "time=0.25,pixels=1M", "time=3"])
    func `A limit of time takes parts of a second`(limits: String) throws {
        try scratch.write("in.png", Images.png(8, 8))
        #expect(try firn.run(["info", "in.png", "--limits", limits], in: scratch).status == 0)
    }

    @Test(arguments: ["time=0", "time=-1", "time=x", "time=nan", "pixels=0.5"])
    func `Other limits are usage errors`(limits: String) throws {
        try scratch.write("in.png", Images.png(8, 8))
        #expect(try firn.run(["info", "in.png", "--limits", limits], in: scratch).status > 1)
    }
}

extension Images {
    /// A TIFF of three gray pages of one row, 300 pixels per inch, with the orientations 6, 1 and 3.
    static let turnedPages: Data = {
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        var bytes: [UInt8] = Array("II*\0".utf8) + little(8, 4)
        for (index, (levels, orientation)) in [([1, 2], 6), ([3, 4, 5], 1), ([6, 7], 3)].enumerated() {
            let directory = bytes.count
            let (values, length) = (directory + 2 + 13 * 12 + 4, 2 + 13 * 12 + 4 + 8 + 4)
            let entries = [
                (256, 4, levels.count), (257, 4, 1), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, values + 8),
                (274, 3, orientation), (277, 3, 1), (278, 4, 1), (279, 4, levels.count), (282, 5, values),
                (283, 5, values), (296, 3, 2),
            ]
            bytes += little(entries.count, 2)
            for (tag, type, value) in entries {
                bytes += little(tag, 2) + little(type, 2) + little(1, 4) + little(value, 4)
            }
            bytes += little(index == 2 ? 0 : directory + length, 4) + little(300, 4) + little(1, 4)
            bytes += levels.map { UInt8($0) } + [UInt8](repeating: 0, count: 4 - levels.count)
        }
        return Data(bytes)
    }()
}
