import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

/// Tests `firn load` on files and folders: which files it finds and writes, and what it prints.
@Suite final class LoadTests: CommandSuite {
    @Test func `A folder is searched by content, in order, without hidden names`() throws {
        try scratch.write("in/b.dat", Images.png(4, 3))
        try scratch.write("in/a/deep.jpg", Images.jpeg(5, 3))
        try scratch.write("in/notes.jpg", Data("no image".utf8))
        try scratch.write("in/.hidden.png", Images.png(1, 1))
        try scratch.write("in/c.webp", Images.webp(6, 3))
        let run = try firn.run(["load", "in", "--no-cache", "--json"], in: scratch)
        #expect(run.status == 0)
        try #require(run.lines.count == 4)
        #expect(
            zip(run.lines, ["in/a/deep.jpg", "in/b.dat", "in/c.webp"]).allSatisfy {
                $0.hasPrefix(#"{"source":"\#($1)","#)
            })
        #expect(run.lines[3].hasPrefix(#"{"summary":{"loaded":3,"failed":0,"#))
    }

    @Test func `Images are written in their size and format, each under a unique name`() throws {
        try scratch.write("x/p.png", Images.png(40, 20))
        try scratch.write("y/p.png", Images.png(20, 40))
        try scratch.write("z/p.jpg", Images.jpeg(80, 80))
        let run = try firn.run(["load", "x", "y", "z", "--no-cache", "--size", "10x10", "--out", "o"], in: scratch)
        #expect(run.status == 0)
        #expect(scratch.files(below: "o") == ["p-2.png", "p-3.jpg", "p.png"])
        let info = try firn.run(["info", "--json", "o/p.png", "o/p-2.png", "o/p-3.jpg"], in: scratch)
        try #require(info.lines.count == 3)
        #expect(info.lines[0].contains(#""width":10,"height":5,"#))
        #expect(info.lines[1].contains(#""width":5,"height":10,"#))
        #expect(info.lines[2].contains(#""format":"jpeg","width":10,"height":10,"#))
    }

    @Test func `Processors run in order, and a wrong list is reported with its position`() throws {
        try scratch.write("a.png", Images.png(80, 60))
        let run = try firn.run(
            [
                "load", "a.png", "--no-cache", "--process",
                "resize=40x40:crop,overlay=a.png:opacity=0.5,rotate=90,pad=1,circle",
                "--out", "o",
            ], in: scratch)
        #expect(run.status == 0)
        let info = try firn.run(["info", "--json", "o/a.png"], in: scratch)
        #expect(info.lines.first?.contains(#""width":42,"height":42,"#) == true)
        let wrong = try firn.run(["load", "a.png", "--process", "flip,blurr=8"], in: scratch)
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("\n  flip,blurr=8\n       ^^^^^"))
        let list = try firn.run(["processors"], in: scratch)
        #expect(list.status == 0 && list.lines.contains("blur=RADIUS"))
    }

    @Test func `format and quality are applied`() throws {
        try scratch.write("a.png", Images.png(200, 200))
        let high = try firn.run(
            ["load", "a.png", "--no-cache", "--format", "jpg", "--quality", "95", "--out", "h"], in: scratch)
        let low = try firn.run(
            ["load", "a.png", "--no-cache", "--format", "jpeg", "--quality", "0.2", "--out", "l"], in: scratch)
        #expect(high.status == 0 && low.status == 0)
        #expect(try scratch.data("h/a.jpg").count > 2 * scratch.data("l/a.jpg").count)
    }

    @Test func `A sheet shows all images and failures`() throws {
        try scratch.write("in/a.png", Images.png(400, 300))
        try scratch.write("in/b.jpg", Images.jpeg(300, 400))
        let run = try firn.run(["load", "in", "missing.png", "--no-cache", "--sheet", "sheet.png"], in: scratch)
        #expect(run.status == 1)
        #expect(Images.isPNG(try scratch.data("sheet.png")))
        let info = try firn.run(["info", "--json", "sheet.png"], in: scratch)
        #expect(info.output.contains(#""width":1280,"#))
    }

    @Test func `A list names sources, with comments and empty lines`() throws {
        try scratch.write("a.png", Images.png(4, 4))
        try scratch.write("list.txt", Data("\u{FEFF}# two\n\n  a.png \r\nmissing.png\n".utf8))
        let run = try firn.run(["load", "@list.txt", "@nolist.txt", "--no-cache", "--json"], in: scratch)
        #expect(run.status == 1)
        try #require(run.lines.count == 4)
        #expect(run.lines[0].hasPrefix(#"{"source":"a.png","format":"png","width":4,"height":4,"from":"file","#))
        #expect(run.lines[1].hasPrefix(#"{"source":"missing.png","error":{"fault":"source","#))
        #expect(run.lines[2].hasPrefix(#"{"source":"@nolist.txt","error":{"fault":"source","#))
        #expect(run.lines[3].hasPrefix(#"{"summary":{"loaded":1,"failed":2,"#))
    }

    @Test func `Each kind of bad input is reported in one line with its name, and the rest is loaded`() throws {
        let whole = try Images.jpeg(64, 64)
        try scratch.write("cut.jpg", whole.prefix(whole.count / 2))
        try scratch.write("page.jpg", Images.page)
        try scratch.write("immense.png", Images.immensePNG())
        try scratch.write("good.png", Images.png(8, 8))
        let bad = ["missing.png", "cut.jpg", "page.jpg", "immense.png", "ftp://example.org/a.png"]
        let run = try firn.run(["load"] + bad + ["good.png", "--no-cache", "--out", "o"], in: scratch)
        #expect(run.status == 1)
        #expect(run.errorLines.count == bad.count)
        for name in bad {
            #expect(run.errorLines.count { $0.hasPrefix("firn: \(name): ") && $0.count > name.count + 10 } == 1)
        }
        #expect(scratch.files(below: "o") == ["good.png"])
    }

    @Test func `A full disk costs the images that do not fit, and leaves no part of them`() throws {
        try scratch.write("large.png", Images.png(300, 300))
        try scratch.write("small.png", Images.png(4, 4))
        let run = try firn.run(
            ["load", "large.png", "small.png", "--no-cache", "--out", "o", "--sheet", "sheet.png"], in: scratch,
            shell: "trap '' XFSZ; ulimit -f 1")
        #expect(run.status == 1)
        #expect(run.errorLines.contains("firn: large.png: cannot write o/large.png: File too large"))
        #expect(run.errorLines.contains("firn: sheet.png: cannot write the sheet: File too large"))
        #expect(scratch.files() == ["large.png", "o", "o/small.png", "small.png"])
    }

    @Test func `A folder that cannot be created ends the command before anything is loaded`() throws {
        try scratch.write("file", Data())
        let run = try firn.run(["load", "file", "--no-cache", "--out", "file/o"], in: scratch)
        #expect(run.status == 1)
        #expect(run.errorLines == ["firn: file/o: cannot make the folder: Not a directory"])
    }
}
