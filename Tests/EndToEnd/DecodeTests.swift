import FirnImage
import FirnDigest
import FoundationEssentials
import Testing

/// Tests `firn decode`: pixels, output files, errors, exit status.
@Suite final class DecodeTests: CommandSuite {
    @Test func `The hash covers the pixels, with transparent ones black`() throws {
        try scratch.write("a.png", Images.png(40, 30, alpha: true))
        let digest = try Images.bitmap(40, 30, alpha: true).straightDigest()
        let json = try firn.run(["decode", "--stored", "--no-color", "--hash", "--json", "a.png"], in: scratch)
        #expect(json.lines == [#"{"path":"a.png","width":40,"height":30,"sha256":"\#(digest)"}"#])
        #expect(json.status == 0)
        let plain = try firn.run(["decode", "--hash", "a.png"], in: scratch)
        #expect(plain.lines == ["\(digest)  a.png"])
    }

    @Test(arguments: ["png", "jpg", "webp"])
    func `An image is written at the requested size, in the format of the name`(type: String) throws {
        try scratch.write("a.jpg", Images.jpeg(400, 300))
        let run = try firn.run(["decode", "a.jpg", "--size", "100x100", "--out", "b.\(type)"], in: scratch)
        #expect(run.status == 0)
        #expect(ImageFormat(try scratch.data("b.\(type)"))?.rawValue == (type == "jpg" ? "jpeg" : type))
        let info = try firn.run(["info", "--json", "b.\(type)"], in: scratch)
        #expect(info.output.contains(#""width":100,"height":75,"#))
        #expect(scratch.files() == ["a.jpg", "b.\(type)"])
    }

    @Test(arguments: [(1, 61, 45), (2, 31, 23), (4, 16, 12), (8, 8, 6)])
    func `A level takes one of every so many pixels`(level: Int, width: Int, height: Int) throws {
        try scratch.write("a.png", Images.png(61, 45))
        let run = try firn.run(["decode", "a.png", "--level", "\(level)", "--json"], in: scratch)
        #expect(run.status == 0)
        #expect(run.output.contains(#""width":\#(width),"height":\#(height),"#))
    }

    @Test func `A region of the upright image is decoded, of the stored one with --stored`() throws {
        try scratch.write("a.png", Images.png(61, 45))
        func decode(_ arguments: String...) throws -> String {
            try firn.run(["decode", "a.png", "--json"] + arguments, in: scratch).output
        }
        #expect(try decode("--region", "10,7,30x20").contains(#""width":30,"height":20,"#))
        #expect(try decode("--region", "50%,0%,50%x100%").contains(#""width":30,"height":45,"#))
        #expect(try decode("--region", "10,7,30x20", "--size", "50%").contains(#""width":15,"height":10,"#))
        #expect(try decode("--region", "10,7,30x20", "--size", "15x15").contains(#""width":15,"height":10,"#))
        // The pixels are those of a file that holds only them.
        _ = try firn.run(["decode", "a.png", "--region", "10,7,30x20", "--out", "part.png"], in: scratch)
        let hash = try firn.run(["decode", "--hash", "a.png", "--region", "10,7,30x20"], in: scratch).output
        let part = try firn.run(["decode", "--hash", "part.png"], in: scratch).output
        #expect(hash.prefix(64) == part.prefix(64) && hash.count > 64)
        let outside = try firn.run(["decode", "a.png", "--region", "61,0,5x5"], in: scratch)
        #expect(outside.status == 1)
        #expect(outside.errors.contains("the region 61,0,5x5 has no pixel in the image of 61x45 pixels"))
        #expect(try firn.run(["decode", "a.png", "--region", "1,2,3"], in: scratch).status == 2)
    }

    @Test func `A numbered preview is written after every 16 KiB`() throws {
        try scratch.write("a.jpg", Images.jpeg(1600, 1200))
        let run = try firn.run(["decode", "a.jpg", "--previews", "shown"], in: scratch)
        #expect(run.status == 0)
        let info = try firn.run(["info", "--json", "shown/a-1.png"], in: scratch)
        #expect(info.output.contains(#""format":"png","width":1600,"height":1200,"#))
    }

    @Test(arguments: ["png", "jpg"])
    func `An image that is cut short is written as far as it goes, and reported`(type: String) throws {
        let whole = try type == "png" ? Images.png(400, 300) : Images.jpeg(400, 300)
        try scratch.write("cut.\(type)", whole.prefix(whole.count / 2))
        let run = try firn.run(["decode", "cut.\(type)", "--out", "x.png", "--json"], in: scratch)
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1 && run.errors.hasPrefix("firn: cut.\(type): "), "\(run.errors)")
        #expect(run.errors.hasSuffix("; the image is incomplete\n"), "\(run.errors)")
        #expect(run.output.contains(#""width":400,"height":300,"#) && run.output.contains(#","damage":""#))
        let info = try firn.run(["info", "--json", "x.png"], in: scratch)
        #expect(info.output.contains(#""width":400,"height":300,"#) && info.output.contains(#""alpha":true"#))
    }

    @Test func `Damaged images and missing frames are errors, and nothing is written`() throws {
        let whole = try Images.png(64, 64)
        try scratch.write("head.png", whole.prefix(20))
        try scratch.write("good.png", whole)
        try scratch.write("immense.png", Images.immensePNG())
        let before = scratch.files()
        for arguments in [["head.png"], ["immense.png"], ["good.png", "--frame", "3"]] {
            let run = try firn.run(["decode", "--out", "x.png"] + arguments, in: scratch)
            #expect(run.status == 1)
            #expect(run.errorLines.count == 1)
            #expect(run.errors.hasPrefix("firn: \(arguments[0]): "))
            #expect(scratch.files() == before)
        }
    }

    @Test func `A file that cannot be written leaves nothing behind`() throws {
        // Noise does not fit into 2 KiB.
        try scratch.write("a.png", Images.png(300, 300))
        let missing = try firn.run(["decode", "a.png", "--out", "nowhere/b.png"], in: scratch)
        #expect(missing.status == 1)
        #expect(missing.errors == "firn: a.png: cannot write nowhere/b.png: No such file or directory\n")
        let full = try firn.run(["decode", "a.png", "--out", "b.png"], in: scratch, shell: "trap '' XFSZ; ulimit -f 1")
        #expect(full.status == 1)
        #expect(full.errors == "firn: a.png: cannot write b.png: File too large\n")
        #expect(scratch.files() == ["a.png"])
    }

    @Test(arguments: [
        ["decode"], ["decode", "--size", "x", "a.png"], ["decode", "--size", "101%", "a.png"],
        ["decode", "--size", "0x5", "a.png"],
        ["decode", "a.png", "b.png", "--out", "c.png"], ["decode", "a.png", "--out", "c.heic"],
        ["decode", "--frame", "-1", "a.png"], ["decode", "--level", "3", "a.png"],
        ["decode", "--level", "2", "--size", "9x9", "a.png"], ["decode", "--previews", "x", "a.png", "b.png"],
        ["decode", "--unknown", "a.png"], ["nonsense"], ["load"],
        ["load", "--jobs", "0", "a.png"], ["load", "--cache", "x", "--no-cache", "a.png"],
        ["load", "--quality", "101", "--out", "x", "a.png"],
    ])
    func `Wrong use ends with 2`(arguments: [String]) throws {
        let run = try firn.run(arguments, in: scratch)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(!run.errors.isEmpty)
    }

    @Test(arguments: ["load", "info", "decode", "cache"])
    func `Help is no error and shows examples`(command: String) throws {
        let run = try firn.run([command, "--help"], in: scratch)
        #expect(run.status == 0)
        #expect(run.output.contains("EXAMPLES\n  firn \(command) "))
    }
}
