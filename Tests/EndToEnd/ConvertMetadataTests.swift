import FirnCodecs
import FirnImage
import FoundationEssentials
import FirnSystem
import Testing

/// Tests `firn convert --metadata`: how we and other programs read the files.
@Suite final class ConvertMetadataTests: CommandSuite {
    /// Returns a photograph of 40 × 30 with a color profile, and with EXIF data that have a quarter turn and a maker.
    private func photograph() throws -> Data {
        let plain = try JPEGEncoder(quality: 0.9).encode(Images.bitmap(40, 30))
        let exif: [UInt8] =
            Array("Exif\0\0II*\0".utf8) + [8, 0, 0, 0, 2, 0]
            + [0x0F, 1, 2, 0, 3, 0, 0, 0, 0x4D, 0x65, 0, 0] + [0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0] + [0, 0, 0, 0]
        return plain.prefix(2) + Data([0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif) + plain.dropFirst(2)
    }

    private func convert(_ name: String, _ words: String...) throws {
        try scratch.write("in.jpg", photograph())
        let run = try firn.run(["convert", "in.jpg", "--out", name] + words, in: scratch)
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test(arguments: ImageEncoders.formats.filter { ![.gif, .tiff, .bmp, .ico].contains($0) })
    func `A copy is upright for us, with EXIF data and without`(format: ImageFormat) throws {
        let name = "out.\(format == .jpeg ? "jpg" : format.rawValue)"
        for words in [[], ["--metadata", "none"], ["--metadata", "all"], ["--metadata", "all", "--size", "20x20"]] {
            try scratch.write("in.jpg", photograph())
            #expect(try firn.run(["convert", "in.jpg", "--out", name] + words, in: scratch).status == 0)
            let file = try scratch.data(name)
            let decoder = ImageDecoder()
            try decoder.setData(file, allDataReceived: true)
            var options = DecodingOptions()
            let upright = try decoder.frame(at: 0, options: options).image().size
            options.appliesOrientation = false
            // The pixels of a copy are those of the source.
            let isCopy = format == .jpeg && words == ["--metadata", "all"]
            let stored = isCopy ? PixelSize(width: 40, height: 30) : upright
            #expect(try decoder.frame(at: 0, options: options).image().size == stored)
            #expect(
                upright
                    == (words.contains("--size") ? PixelSize(width: 15, height: 20) : PixelSize(width: 30, height: 40)))
            #expect((file.firstRange(of: Data("Me\0".utf8)) != nil) == words.contains("all"))
        }
    }

    @Test func `Colors and light are those that --profile and --hdr name`() throws {
        var light = ImageLight()
        (light.primaries, light.transfer) = (9, 16)
        let size = PixelSize(width: 8, height: 8)
        let image = try Bitmap(size: size, format: .rgba16Straight, colorProfile: ColorProfile(light: light)) {
            for y in 0..<8 {
                for x in 0..<8 {
                    let pixel = SIMD4<UInt16>(30_000, 20_000, UInt16(clamping: 1_000 * x), 65_535)
                    $0.row(y).storeBytes(of: pixel, toByteOffset: 8 * x, as: SIMD4<UInt16>.self)
                }
            }
        }
        try scratch.write("pq.png", PNGEncoder().encode(image))
        func properties(_ name: String, _ words: String...) throws -> (ImageProperties, errors: String) {
            let run = try firn.run(["convert", "pq.png", "--out", name] + words, in: scratch)
            #expect(run.status == 0, "\(run.errors)")
            let decoder = ImageDecoder()
            try decoder.setData(scratch.data(name), allDataReceived: true)
            return (try #require(decoder.properties), run.errors)
        }
        let kept = try properties("kept.png", "--hdr", "keep", "--process", "resize=4x")
        #expect(kept.0.light.transfer == 16 && kept.0.bitDepth == 16 && kept.errors.isEmpty)
        let mapped = try properties("mapped.jpg", "--hdr", "keep", "--profile", "p3")
        #expect(mapped.0.colorProfile?.name == "Display P3" && mapped.errors.contains("high dynamic range"))
        #expect(try !properties("asked.jpg", "--hdr", "map").errors.contains("high dynamic range"))
        try scratch.write("adobe.icc", #require(ColorProfile.adobeRGB).icc)
        let wide = try properties("wide.webp", "--profile", "adobe.icc", "--intent", "relative")
        #expect(wide.0.colorProfile == .adobeRGB)
        let gray = try firn.run(
            ["convert", "pq.png", "--out", "gray.png", "--hdr", "keep", "--process", "gray"], in: scratch)
        #expect(gray.status == 1 && gray.errors.contains("PQ"))
    }

    @Test(
        .enabled(if: Pillow.isThere),
        arguments: ["jpg", "png", "webp"])
    func `A copy is upright for Pillow, and its maker is there`(type: String) throws {
        try convert("kept.\(type)", "--metadata", "all")
        #expect(try Pillow.look("kept.\(type)", in: scratch) == "30x40 30x40 1 Me")
        try convert("plain.\(type)")
        #expect(try Pillow.look("plain.\(type)", in: scratch) == "30x40 30x40 None None")
    }

    @Test(arguments: [("jxl", "/usr/bin/djxl"), ("avif", "/usr/bin/heif-convert")])
    func `A copy is upright for the libraries' own commands`(type: String, path: String) throws {
        guard ImageEncoders.formats.contains(ImageFormat(rawValue: type)), access(path, X_OK) == 0 else { return }
        try convert("kept.\(type)", "--metadata", "all")
        let run = try BuiltCommand(at: path).run(["kept.\(type)", "kept.png"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        let decoder = ImageDecoder()
        try decoder.setData(scratch.data("kept.png"), allDataReceived: true)
        #expect(try decoder.frame(at: 0).image().size == PixelSize(width: 30, height: 40))
    }

    @Test(arguments: [[], ["--quiet"], ["--json"]])
    func `EXIF data that a JPEG cannot hold are a warning`(words: [String]) throws {
        let notice = try #require(CopyrightNotice(creator: "Ada", rights: "(c) Ada"))
        let metadata = EncodingMetadata(exif: notice.exif + Data(count: 70_000))
        try scratch.write(
            "in.png", PNGEncoder().encode(Images.bitmap(8, 8), metadata: metadata, cancellation: CancellationFlag()))
        let run = try firn.run(["convert", "in.png", "--out", "out.jpg", "--metadata", "all"] + words, in: scratch)
        #expect(run.status == 0)
        #expect(run.errors.contains("firn: in.png: warning: its 7") && run.errors.contains("65527"), "\(run.errors)")
        #expect(words != ["--json"] || run.lines.first?.contains(#""warnings":["its 7"#) == true)
        let decoder = ImageDecoder()
        try decoder.setData(scratch.data("out.jpg"), allDataReceived: true)
        #expect(decoder.properties?.exif == notice.exif)
    }

    // MARK: Copies

    /// Returns the bytes of a JPEG from its first table to its end.
    private func coded(_ file: Data) throws -> Data {
        file.suffix(from: try #require(file.firstRange(of: Data([0xFF, 0xDB]))).lowerBound)
    }

    @Test(arguments: ["all-but-place", "all", "profile"])
    func `--keep alone copies the coded pixels of a JPEG`(keep: String) throws {
        let file = try photograph()
        let comment = Data([0xFF, 0xFE, 0, 8] + Array("secret".utf8))
        try scratch.write("in.jpg", file.prefix(2) + comment + file.dropFirst(2) + Data("behind".utf8))
        let run = try firn.run(["convert", "in.jpg", "-o", "out.jpg", "--keep", keep], in: scratch)
        #expect(run.status == 0 && run.lines.first?.hasSuffix(", pixels copied") == true, "\(run.lines) \(run.errors)")
        let copy = try scratch.data("out.jpg")
        #expect(try coded(copy).starts(with: coded(file)))
        for text in ["Me\0", "secret", "behind"] {
            #expect((copy.firstRange(of: Data(text.utf8)) != nil) == (keep != "profile"))
        }
        let decoder = ImageDecoder()
        try decoder.setData(copy, allDataReceived: true)
        #expect(decoder.properties?.orientation == .right && decoder.properties?.displaySize.width == 30)
    }

    @Test func `A file with damaged pixels is not copied`() throws {
        var file = try photograph()
        // A Huffman table that promises more codes than its lengths allow.
        let table = try #require(file.firstRange(of: Data([0xFF, 0xC4])))
        for place in table.upperBound + 3..<table.upperBound + 7 { file[place] = 0xFF }
        try scratch.write("in.jpg", file)
        for words in [[], ["--keep", "all-but-place"]] {
            #expect(try firn.run(["convert", "in.jpg", "-o", "out.jpg"] + words, in: scratch).status != 0)
            #expect(scratch.files() == ["in.jpg"])
        }
    }

    @Test(arguments: [0, 1, 2])
    func `An animation with a damaged frame is not copied, whichever frame it is`(damaged: Int) throws {
        var file = try Images.animation(WebPEncoder(lossless: true))
        try scratch.write("in.webp", file)
        let whole = try firn.run(["convert", "in.webp", "-o", "out.webp", "--keep", "profile"], in: scratch)
        #expect(whole.status == 0 && whole.lines.first?.contains("copied") == true, "\(whole.lines) \(whole.errors)")
        // Behind the header of the lossless stream, codes of Huffman tables that are none.
        var frames: [Int] = []
        var from = file.startIndex
        while let next = file[from...].firstRange(of: Data("VP8L".utf8)) {
            frames.append(next.upperBound)
            from = next.upperBound
        }
        try #require(frames.count == 3)
        for place in frames[damaged] + 9..<frames[damaged] + 40 { file[place] = 0xFF }
        try scratch.write("in.webp", file)
        let run = try firn.run(["convert", "in.webp", "-o", "new.webp", "--keep", "profile"], in: scratch)
        // As without the option: the good frames are encoded again, and the line says how many.
        #expect((run.status == 0) == (damaged > 0), "\(run.lines)")
        #expect(!run.output.contains("copied") && run.output.contains("of 3 frames") == (damaged > 0), "\(run.lines)")
        #expect(scratch.files().contains("new.webp") == (damaged > 0))
    }

    @Test(arguments: [["--quality", "50"], ["--size", "20x20"], ["--rotate", "90"], ["--process", "gray"]])
    func `With another change, the pixels are encoded again`(words: [String]) throws {
        try scratch.write("in.jpg", photograph())
        let run = try firn.run(["convert", "in.jpg", "-o", "out.jpg", "--keep", "all-but-place"] + words, in: scratch)
        #expect(run.status == 0 && run.lines.first?.contains("copied") == false)
        let decoder = ImageDecoder()
        try decoder.setData(scratch.data("out.jpg"), allDataReceived: true)
        #expect(decoder.properties?.orientation == .up)
    }

    @Test(arguments: [
        ["none", "--profile", "source"], ["all", "--format", "gif"], ["everything"],
        ["profile", "--format", "gif", "--profile", "p3"], ["profile", "--intent", "relative"],
        ["profile", "--profile", "in.jpg"],
    ])
    func `A contradiction is a usage error`(words: [String]) throws {
        try scratch.write("in.jpg", photograph())
        let format = words.contains("gif") ? [] : ["--format", "png"]
        let run = try firn.run(["convert", "in.jpg", "--metadata"] + words + format, in: scratch)
        #expect(run.status == 2 || run.status == 64, "\(run.status)")
        #expect(scratch.files() == ["in.jpg"])
    }
}

/// Python's image library, which applies EXIF orientations on request.
private enum Pillow {
    static let isThere = access("/usr/lib/python3/dist-packages/PIL", R_OK) == 0

    /// Returns the stored size, the upright size, the orientation and the maker.
    static func look(_ name: String, in folder: Scratch) throws -> String {
        let script = """
            import sys
            from PIL import Image, ImageOps
            image = Image.open(sys.argv[1])
            exif, upright = image.getexif(), ImageOps.exif_transpose(image)
            print('%dx%d' % image.size, '%dx%d' % upright.size, exif.get(274), exif.get(271))
            """
        let run = try BuiltCommand(at: "/usr/bin/python3").run(["-c", script, name], in: folder)
        return run.lines.first ?? run.errors
    }
}
