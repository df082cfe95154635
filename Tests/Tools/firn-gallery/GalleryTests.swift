#if GTK
import FirnSystem
import Testing

/// Tests the built gallery.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct GalleryTests {
    @Test func `A scripted scroll shows no wrong image and reports its measurements`() async throws {
        let scratch = try TestFolder()
        defer { withExtendedLifetime(scratch) {} }
        let folder = scratch.path
        let arguments = [
            "--headless-scroll", "1", "--items", "120", "--json", "\(folder)/report.json", "--screenshot",
            "\(folder)/window.png", try GalleryTests.image(),
        ]
        let outcome = try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            return try ScenePlayer.run("firn-gallery", arguments, on: display)
        }
        #expect(outcome.status == 0, "\(outcome.output)")
        let report = try GalleryTests.text("\(folder)/report.json")
        func number(_ field: String) -> Double? {
            let rest = report.firstRange(of: "\"\(field)\":").map { report[$0.upperBound...] }
            return rest.flatMap { Double($0.prefix { !",}".contains($0) }) }
        }
        #expect(number("wrongImages") == 0, "\(report)")
        for field in [
            "frames", "gapP50Ms", "paintP50Ms", "deliverP99Us", "deliveries", "shown", "stopToAllRightMs",
            "peakMiB",
        ] {
            #expect(try #require(number(field), "\(field)") > 0, "\(field) \(report)")
        }
        let (frames, late) = (try #require(number("frames")), try #require(number("lateFrames")))
        #expect(late >= 0 && late <= frames, "\(report)")
        for name in ["gap", "paint"] {
            #expect(try #require(number("\(name)P99Ms")) >= number("\(name)P50Ms") ?? .infinity, "\(report)")
        }
        // A second of frames, none of which is drawn before the last.
        #expect(try #require(number("gapP50Ms")) * frames < 20_000, "\(report)")
        #expect(try GalleryTests.text("\(folder)/window.png").dropFirst().hasPrefix("PNG"))
    }

    @Test func `A folder of 5 000 images opens completely and shows its first screen`() async throws {
        let scratch = try TestFolder()
        for number in 0..<5_000 { try scratch.write("\(number).gif", GalleryTests.gif) }
        let outcome = try await open([scratch.path])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("\"images\":5000,"), "\(outcome.output)")
        #expect(outcome.output.contains("\"wrongImages\":0,"), "\(outcome.output)")
        #expect(!outcome.output.contains("\"right\":0,"), "\(outcome.output)")
    }

    @Test func `A window with many columns can be made narrow`() async throws {
        let scratch = try TestFolder()
        for number in 0..<12 { try scratch.write("\(number).gif", GalleryTests.gif) }
        let outcome = try await open([scratch.path, "--size", "1150x800"])
        let report = outcome.output.split(separator: ",").first { $0.hasPrefix("\"leastWidth\":") }
        let width = try #require(report.flatMap { Int($0.drop { !$0.isNumber }) })
        #expect((300...420).contains(width), "\(outcome.output)")
    }

    @Test func `The demonstration serves a hundred small images and leaves nothing behind`() async throws {
        let scratch = try TestFolder()
        let outcome = try await open(["--demo"], variables: ["TMPDIR=\(scratch.path)"])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("\"images\":100,"), "\(outcome.output)")
        #expect(outcome.output.contains("\"wrongImages\":0,"), "\(outcome.output)")
        #expect(!outcome.output.contains("\"right\":0,"), "\(outcome.output)")
        #expect(scratch.isEmpty)
    }

    @Test func `Closing a window while images load ends the program`() async throws {
        let scratch = try TestFolder()
        for collection in ["small", "thousand"] {
            let outcome = try await open(
                ["--demo", "--collection", collection, "--network", "weak", "--end-at", "window"],
                variables: ["TMPDIR=\(scratch.path)"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("\"allMs\":null"), "\(outcome.output)")
        }
        #expect(scratch.isEmpty)
    }

    @Test func `A source that cannot be read is reported with its reason, and the others are shown`() async throws {
        let scratch = try TestFolder()
        try scratch.write("words", Array("no image".utf8))
        try scratch.write("list.txt", Array("# a list\n\(try GalleryTests.image())\n/nowhere/2\n".utf8))
        let outcome = try await open(["/nowhere/1", "\(scratch.path)/words", "@\(scratch.path)/list.txt"])
        #expect(outcome.status == 0)
        for words in [
            "firn-gallery: /nowhere/1: No such file or directory", "words: Not an image",
            "firn-gallery: /nowhere/2: No such file",
            "\"images\":1,", "\"right\":1,",
        ] { #expect(outcome.output.contains(words), "\(outcome.output)") }
    }

    @Test func `The files of a folder that are not shown are counted beside its images`() async throws {
        let scratch = try TestFolder()
        try scratch.write("a.gif", GalleryTests.gif)
        try scratch.write("empty.jpg", [])
        for name in ["words", "more words"] { try scratch.write(name, Array("no image".utf8)) }
        symlink("/nowhere/1", "\(scratch.path)/link.jpg")
        let outcome = try await open([scratch.path])
        let line = "1 image · 4 files left out (1 empty, 1 unreadable, 2 of another kind)"
        #expect(outcome.output.contains("\"count\":\"\(line)\""), "\(outcome.output)")
    }

    @Test func `An image that is too large to be decoded whole is shown`() async throws {
        let scratch = try TestFolder()
        // A gray JPEG of 17,000 × 17,000 pixels: each block takes two bits.
        let side: UInt16 = 17_000
        let (high, low) = (UInt8(side >> 8), UInt8(side & 0xFF))
        let table: [UInt8] = [1] + [UInt8](repeating: 0, count: 16)
        var jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 16, count: 64)
        jpeg += [0xFF, 0xC0, 0, 11, 8, high, low, high, low, 1, 1, 0x11, 0]
        jpeg += [0xFF, 0xC4, 0, 20, 0] + table + [0xFF, 0xC4, 0, 20, 0x10] + table
        jpeg += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0] + [UInt8](repeating: 0, count: 2_125 * 2_125 / 4 + 1)
        try scratch.write("large.jpg", jpeg + [0xFF, 0xD9])
        let outcome = try await open(["\(scratch.path)/large.jpg"])
        #expect(outcome.output.contains("large.jpg   1 of 1   17000 × 17000   jpeg   loaded"), "\(outcome.output)")
    }

    @Test func `The viewer shows size, format and the fields of the camera`() async throws {
        let scratch = try TestFolder()
        // A JPEG whose first segment is EXIF data: the camera's model as text, after a directory of one field.
        let exif: [UInt8] =
            Array("Exif\0\0".utf8) + [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x10, 1, 2, 0, 7, 0, 0, 0, 26, 0, 0, 0]
            + [0, 0, 0, 0] + Array("Firn 1\0".utf8)
        let plain = try GalleryTests.bytes(try GalleryTests.image())
        try scratch.write(
            "photo.jpg", plain.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + plain.dropFirst(2))
        let outcome = try await open(["--view", "\(scratch.path)/photo.jpg"])
        #expect(outcome.status == 0, "\(outcome.output)")
        for words in ["megapixels", "JPEG, 8 bits", "Camera\\n", "Firn 1"] {
            #expect(outcome.output.contains(words), "\(outcome.output)")
        }
    }

    @Test func `A photograph that is cut short is shown as far as it goes, with a note`() async throws {
        let scratch = try TestFolder()
        let whole = try GalleryTests.bytes(try GalleryTests.image())
        try scratch.write("cut.jpg", whole.prefix(whole.count / 2) + [])
        let variables = ["XDG_CACHE_HOME=\(scratch.path)/.cache"]
        let outcome = try await open(["--view", "\(scratch.path)/cut.jpg"], variables: variables)
        #expect(outcome.status == 0, "\(outcome.output)")
        for words in ["jpeg   incomplete   loaded", "Damage\\njpeg: cut short", "\"images\":1,"] {
            #expect(outcome.output.contains(words), "\(outcome.output)")
        }
    }

    @Test func `Contradictory options are refused`() async throws {
        let outcome = try await OwnThread.run {
            try ScenePlayer.run("firn-gallery", ["--network", "telegraph"], variables: [])
        }
        #expect(outcome.status == 2)
        #expect(outcome.output.contains("there is no network telegraph"), "\(outcome.output)")
    }

    @Test func `Without a display the gallery reports an error`() async throws {
        let outcome = try await OwnThread.run {
            try ScenePlayer.run(
                "firn-gallery", [], variables: ["DISPLAY=", "WAYLAND_DISPLAY=", "GDK_BACKEND=x11"])
        }
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("there is no display"), "\(outcome.output)")
    }

    /// Opens sources in a window that closes itself; returns the outcome.
    private func open(_ arguments: [String], variables: [String] = []) async throws -> ScenePlayer.Outcome {
        try await OwnThread.run {
            let display = try DisplayServer()
            defer { withExtendedLifetime(display) {} }
            return try ScenePlayer.run(
                "firn-gallery", ["--headless-open"] + arguments, on: display, variables: variables)
        }
    }

    /// The smallest image: one pixel.
    private static let gif: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 200, 60, 60, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
        + [2, 2, 0x44, 1, 0, 0x3B]

    /// Returns the path of a photograph in this repository.
    private static func image() throws -> String {
        guard let source = realpath(#filePath, nil) else { throw SceneError(message: "no \(#filePath)") }
        defer { free(source) }
        let parts = String(cString: source).split(separator: "/").dropLast(4)
        return "/" + (parts + ["Documentation", "Images", "sheet.jpg"]).joined(separator: "/")
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path).prefix(4096), as: UTF8.self)
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw SceneError(message: "there is no \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            if count == 0 { return bytes }
            bytes += piece.prefix(count)
        }
    }
}
#endif
