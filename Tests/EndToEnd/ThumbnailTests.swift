import FirnTesting
import FoundationEssentials
import Testing

/// Tests `firn thumbnail`: names, output paths, sizes.
@Suite(.timeLimit(.minutes(5))) final class ThumbnailTests: CommandSuite {
    private let thumbnailer = BuiltCommand("firn-thumbnailer")

    override init() throws {
        try super.init()
        try scratch.write("in/a.png", Images.png(400, 200))
        try scratch.write("in/deep/er/b.jpg", Images.jpeg(200, 400))
    }

    @Test func `without options a thumbnail of 128 pixels lies beside each source, and a second run makes the same`()
        throws
    {
        for _ in 0..<2 {
            let run = try firn.run(["thumbnail", "in", "--no-cache"], in: scratch)
            #expect(run.status == 0, "\(run.errors)")
            #expect(
                scratch.files(below: "in") == [
                    "a.png", "deep", "deep/er", "deep/er/b.jpg", "deep/er/tn_b.jpg", "tn_a.jpg",
                ])
        }
        let info = try firn.run(["info", "--json", "in/tn_a.jpg", "in/deep/er/tn_b.jpg"], in: scratch)
        try #require(info.lines.count == 2)
        #expect(info.lines[0].contains(#""format":"jpeg","width":128,"height":64,"#))
        #expect(info.lines[1].contains(#""format":"jpeg","width":64,"height":128,"#))
    }

    @Test(arguments: [
        ("%s_thumb.jpg", ["in/a_thumb.jpg", "in/deep/er/b_thumb.jpg"]),
        ("t/%s.webp", ["in/t/a.webp", "in/deep/er/t/b.webp"]),
        ("ROOT/out/x_%s.png", ["out/x_a.png", "out/deep/er/x_b.png"]),
        ("thumbs", ["thumbs/a.png", "thumbs/deep/er/b.jpg"]),
    ])
    func `the name is a pattern, a folder that keeps the tree, or a file`(name: String, files: [String]) throws {
        let out = name.replacing("ROOT", with: scratch.root)
        let run = try firn.run(["thumbnail", "in", "-s", "50", "-o", out, "--no-cache"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        for file in files { #expect(scratch.files().contains(file), "\(scratch.files())") }
    }

    @Test func `a crop covers the rectangle`() throws {
        let run = try firn.run(
            ["thumbnail", "in/a.png", "-s", "60x60", "--crop", "center", "-o", "c.png", "--no-cache"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try firn.run(["info", "--json", "c.png"], in: scratch).output.contains(#""width":60,"height":60,"#))
        // The image is smaller, and becomes square all the same.
        let small = try firn.run(
            ["thumbnail", "in/a.png", "-s", "256x256", "--crop", "center", "-o", "d.png", "--no-cache"], in: scratch)
        #expect(small.status == 0, "\(small.errors)")
        #expect(try firn.run(["info", "--json", "d.png"], in: scratch).output.contains(#""width":200,"height":200,"#))
        #expect(try firn.run(["thumbnail", "in/a.png", "-s", "60x", "--crop", "center"], in: scratch).status == 2)
    }

    @Test func `addresses are named after their last part, decoded`() throws {
        let server = try ScriptedServer()
        server.respond(to: "/p/snow%20peak.png", with: .body(try Images.png(300, 300)))
        let run = try firn.run(["thumbnail", server.url("/p/snow%20peak.png"), "--no-cache"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(scratch.files().contains("tn_snow peak.jpg"))
    }

    @Test func `an image that is cut short is shown as far as it goes, and not to file managers`() throws {
        let whole = try Images.jpeg(400, 300)
        try scratch.write("cut.jpg", whole.prefix(whole.count / 2))
        let shell = "export XDG_CACHE_HOME='\(scratch.path("cache"))'"
        let run = try firn.run(["thumbnail", "cut.jpg", "--json"], in: scratch, shell: shell)
        #expect(run.status == 1 && run.errorLines.count == 1, "\(run.errors)")
        #expect(run.errors.hasSuffix("; the image is incomplete\n"), "\(run.errors)")
        #expect(run.output.contains(#","damage":""#) && run.output.contains(#""incomplete":1"#), "\(run.output)")
        #expect(scratch.files().contains("tn_cut.jpg"))
        let desktop = try firn.run(["thumbnail", "--desktop", "cut.jpg"], in: scratch, shell: shell)
        #expect(desktop.status == 1)
        #expect(scratch.files(below: "cache/thumbnails/normal").isEmpty)
    }

    @Test func `--desktop makes the thumbnails that file managers share, once`() throws {
        try scratch.write("in/damaged.jpg", Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 16]))
        let shell = "export XDG_CACHE_HOME='\(scratch.path("cache"))'"
        let words = ["thumbnail", "--desktop", "-s", "256", "in", "--no-cache"]
        let first = try firn.run(words, in: scratch, shell: shell)
        #expect(first.status == 1 && first.errorLines.count == 1)
        let made = scratch.files(below: "cache/thumbnails/large").filter { $0.hasSuffix(".png") }
        #expect(made.count == 2)
        #expect(scratch.files(below: "cache/thumbnails/fail").count { $0.hasSuffix(".png") } == 1)
        let info = try firn.run(["info", "--json"] + made.map { "cache/thumbnails/large/\($0)" }, in: scratch)
        #expect(info.lines.count == 2)
        for line in info.lines { #expect(line.contains(":256,") && line.contains(":128,"), "\(line)") }
        let second = try firn.run(words, in: scratch, shell: shell)
        #expect(second.errorLines == ["firn: in/damaged.jpg: could not be decoded before, and has not changed"])
        #expect(second.lines.count { $0.contains("was there and stays") } == 2, "\(second.lines)")
        for extra in [["-s", "100"], ["--crop", "center"], ["-o", "x.png"], ["--format", "jpeg"]] {
            #expect(try firn.run(["thumbnail", "--desktop", "in"] + extra, in: scratch).status == 2)
        }
    }

    @Test func `--desktop fails if it cannot store a thumbnail, and replaces damaged ones`() throws {
        let words = ["thumbnail", "--desktop", "--json", "in/a.png", "--no-cache"]
        let none = try firn.run(words, in: scratch, shell: "export XDG_CACHE_HOME=/proc/none")
        #expect(
            none.status == 1 && none.lines.first?.contains("the thumbnail was not stored: /proc/none") == true,
            "\(none.output)")
        let shell = "export XDG_CACHE_HOME='\(scratch.path("cache"))'"
        #expect(try firn.run(words, in: scratch, shell: shell).status == 0)
        let path = try #require(scratch.files(below: "cache").first { $0.hasSuffix(".png") })
        let whole = try bytes("cache/\(path)")
        var damaged = whole
        damaged[damaged.endIndex - 20] ^= 1
        try scratch.write("cache/\(path)", damaged)
        let again = try firn.run(words, in: scratch, shell: shell)
        #expect(again.status == 0 && !again.output.contains("kept"), "\(again.output)")
        #expect(try bytes("cache/\(path)") == whole)
        #expect(try firn.run(words, in: scratch, shell: shell).output.contains(#""kept":true"#))
    }

    @Test func `the thumbnailer does not write over its input, under any name`() throws {
        let source = try bytes("in/a.png")
        try FileManager.default.linkItem(atPath: scratch.path("in/a.png"), toPath: scratch.path("hard.png"))
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("soft.png"), withDestinationPath: scratch.path("in/a.png"))
        for name in ["in/a.png", "./in/../in/a.png", "hard.png", "soft.png"] {
            let run = try thumbnailer.run(["in/a.png", name], in: scratch)
            #expect(run.status == 1 && run.errors.contains("is the input"), "\(run.errors)")
            #expect(try bytes("in/a.png") == source)
        }
    }

    @Test func `the line of the thumbnailer makes a PNG in place of the file that the file manager names`() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../Packaging/firn.thumbnailer").standardized
        let text = String(decoding: try Data(contentsOf: root), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Exec=firn-thumbnailer ") })
        // Tumbler's file has no extension.
        let places = ["%s": "64", "%o": "tumbler-X3K2", "%i": "in/deep/er/b.jpg"]
        let words = line.split(separator: " ").dropFirst().map { places[String($0)] ?? String($0) }
        try scratch.write("tumbler-X3K2", Data())
        let run = try thumbnailer.run(words, in: scratch)
        #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
        let info = try firn.run(["info", "--json", "tumbler-X3K2"], in: scratch)
        #expect(info.lines.first?.contains(#""format":"png","width":32,"height":64,"#) == true)
    }

    @Test func `the thumbnailer has the pixels of the command, of formats whose libraries only the decoders link`()
        throws
    {
        for format in ["avif", "jxl", "tiff", "webp"] {
            let file = "flat.\(format)"
            #expect(try firn.run(["convert", "in/a.png", "-o", file, "-q"], in: scratch).status == 0)
            let options = ["-s", "100", "--no-cache", "-q"]
            #expect(try firn.run(["thumbnail", file, "-o", "command.png"] + options, in: scratch).status == 0)
            let run = try thumbnailer.run(["-s", "100", file, "own.png"], in: scratch)
            #expect(run.status == 0 && run.errors.isEmpty, "\(format): \(run.errors)")
            #expect(try bytes("own.png") == bytes("command.png"), "\(format)")
        }
    }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: scratch.path(name))) }

    @Test func `the thumbnailer names the file that it cannot read or write, and leaves no output`() throws {
        try scratch.write("damaged.avif", Data("\0\0\0\u{18}ftypavif\0\0\0\0avifmif1".utf8))
        let faults: [([String], status: Int32, message: String)] = [
            (["damaged.avif", "out.png"], 1, "damaged.avif: "), (["none.png", "out.png"], 1, "none.png: "),
            (["in/a.png", "none/out.png"], 1, "none/out.png: "), (["in/a.png"], 2, "an input and an output"),
            (["-s", "0", "in/a.png", "out.png"], 2, "'0'"), (["--fast", "in/a.png", "out.png"], 2, "--fast"),
        ]
        for (words, status, message) in faults {
            let run = try thumbnailer.run(words, in: scratch)
            #expect(run.status == status && run.errorLines.count == 1, "\(words): \(run.errors)")
            #expect(run.errors.contains(message), "\(run.errors)")
        }
        #expect(!scratch.files().contains("out.png"))
    }
}
