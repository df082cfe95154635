import FirnImage
import FirnTesting
import FoundationEssentials
import FirnSystem
import Testing

/// Tests where images are written, and which files are never overwritten.
@Suite(.timeLimit(.minutes(5))) final class CommandOutputTests: CommandSuite {
    @Test(arguments: ["load", "convert", "thumbnail"])
    func `a source is never written over, not by its own name and not through links`(command: String) throws {
        let source = try Images.jpeg(40, 30)
        try scratch.write("in/a.jpg", source)
        // Another name of the same file, at the output's path.
        mkdir(scratch.path("links"), 0o755)
        #expect(symlink(scratch.path("in/a.jpg"), scratch.path("links/a.jpg")) == 0)
        mkdir(scratch.path("hard"), 0o755)
        #expect(link(scratch.path("in/a.jpg"), scratch.path("hard/a.jpg")) == 0)
        let words = [
            "load": ["--size", "5x5", "--no-cache"], "convert": ["--size", "5x5", "--format", "jpeg"],
            "thumbnail": ["--no-cache", "--format", "jpeg"],
        ]
        for folder in ["in", "links", "hard"] {
            let run = try firn.run([command, "in/a.jpg", "-o", folder] + (words[command] ?? []), in: scratch)
            #expect(run.status == 1)
            #expect(run.errors.contains("firn: in/a.jpg: the image would be written over itself"), "\(run.errors)")
            #expect(try scratch.data("in/a.jpg") == source && scratch.data("\(folder)/a.jpg") == source)
        }
        let file = try firn.run(["decode", "in/a.jpg", "--out", "hard/a.jpg"], in: scratch)
        #expect(file.status == 1 && file.errors.contains("written over itself"))
        let sheet = try firn.run(["load", "in/a.jpg", "--no-cache", "--sheet", "hard/a.jpg"], in: scratch)
        #expect(sheet.status == 1 && sheet.errors.contains("is a source"))
        #expect(try scratch.data("in/a.jpg") == source)
    }

    @Test func `another source's file in the batch is not overwritten`() throws {
        try scratch.write("x/a.jpg", Images.jpeg(40, 30))
        let other = try Images.jpeg(60, 30)
        try scratch.write("y/a.jpg", other)
        let run = try firn.run(["load", "x/a.jpg", "y/a.jpg", "--size", "5x5", "--no-cache", "-o", "y"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try scratch.data("y/a.jpg") == other)
        #expect(scratch.files(below: "y") == ["a-2.jpg", "a-3.jpg", "a.jpg"])
    }

    @Test func `a file of another source stays and a number is added; the same source's own is replaced`() throws {
        try scratch.write("one/a.png", Images.png(40, 30))
        try scratch.write("two/a.png", Images.png(60, 30))
        try scratch.write("o/a.png", Data("a letter".utf8))
        func load(_ source: String, _ size: String, _ more: [String] = []) throws -> BuiltCommand.Outcome {
            try firn.run(["load", source, "--size", size, "--no-cache", "-o", "o"] + more, in: scratch)
        }
        #expect(try load("one/a.png", "10").output.contains("-> o/a-2.png"))
        #expect(try load("two/a.png", "10").output.contains("-> o/a-3.png"))
        #expect(try scratch.text("o/a.png") == "a letter")
        // Loads again at another size: each finds its own file.
        #expect(try load("two/a.png", "8").output.contains("-> o/a-3.png"))
        #expect(try load("one/a.png", "8").output.contains("-> o/a-2.png"))
        #expect(scratch.files(below: "o") == ["a-2.png", "a-3.png", "a.png"])
        let info = try firn.run(["info", "--json", "o/a-2.png", "o/a-3.png"], in: scratch)
        try #require(info.lines.count == 2)
        #expect(info.lines[0].contains(#""width":8,"height":6,"#) && info.lines[1].contains(#""width":8,"height":4,"#))
        let before = try scratch.data("o/a-2.png")
        let kept = try load("one/a.png", "5", ["--no-clobber"])
        #expect(kept.status == 0 && kept.output.contains("1 kept that were there"), "\(kept)")
        #expect(try scratch.data("o/a-2.png") == before && scratch.text("o/a.png") == "a letter")
        #expect(scratch.files(below: "o").count == 3)
        #expect(!scratch.files().contains { $0.hasSuffix(".part") })
    }

    @Test func `without size, processors, format and quality the original bytes are written`() throws {
        let server = try ScriptedServer()
        // One red pixel.
        let head = Data([1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255])
        let gif = Data("GIF89a".utf8) + head + Data([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B])
        let jpeg = try Images.jpeg(64, 48) + Data("a trailer that no encoder writes".utf8)
        server.respond(to: "/my%20photo.jpeg", with: .body(jpeg))
        try scratch.write("in/dot.gif", gif)
        let run = try firn.run(
            ["load", server.url("/my%20photo.jpeg"), "in/dot.gif", "--no-cache", "-o", "o", "--json"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try scratch.data("o/my photo.jpeg") == jpeg)
        #expect(try scratch.data("o/dot.gif") == gif)
        #expect(server.requests.count == 1)
        #expect(run.lines.first?.contains(#""from":"network","bytes":\#(jpeg.count),"#) == true, "\(run.output)")
        let other = try firn.run(["load", "in/dot.gif", "--no-cache", "-o", "dot.png"], in: scratch)
        #expect(try other.status == 0 && Images.isPNG(scratch.data("dot.png")))
    }

    @Test(arguments: [("10", 10, 5), ("10x", 10, 5), ("x10", 20, 10), ("25%", 10, 5), ("8x2", 4, 2), ("999", 40, 20)])
    func `sizes are read as a box, a side or a share`(text: String, width: Int, height: Int) throws {
        try scratch.write("a.png", Images.png(40, 20))
        for words in [["load", "--no-cache"], ["convert"], ["decode"]] {
            let run = try firn.run(words + ["a.png", "--size", text, "-o", "b.png"], in: scratch)
            #expect(run.status == 0, "\(run.errors)")
            let info = try firn.run(["info", "--json", "b.png"], in: scratch)
            #expect(info.output.contains("\"width\":\(width),\"height\":\(height),"), "\(words) \(info.output)")
        }
    }

    @Test func `- is the standard input and output`() throws {
        let png = try Images.png(40, 20)
        try scratch.write("a.png", png)
        let shell = BuiltCommand(at: "/bin/sh")
        let steps = [
            "\"$0\" load - --size 50% -o - --no-cache <a.png >b.png", "\"$0\" load - -o - --no-cache <a.png >c.png",
            "cat a.png | \"$0\" convert - --format webp -o - >d.webp", "\"$0\" info --json - <a.png >e.json",
            "\"$0\" thumbnail - -s 10 -o - <a.png >f.png", "\"$0\" decode --hash - <a.png >g.txt",
        ]
        for step in steps {
            let run = try shell.run(["-c", step, firn.path], in: scratch)
            #expect(run.status == 0 && run.errors.isEmpty, "\(step): \(run.errors)")
        }
        let info = try firn.run(["info", "--json", "b.png", "d.webp", "f.png"], in: scratch)
        try #require(info.lines.count == 3)
        #expect(info.lines[0].contains(#""format":"png","width":20,"height":10,"#))
        #expect(info.lines[1].contains(#""format":"webp","width":40,"height":20,"#))
        #expect(info.lines[2].contains(#""format":"png","width":10,"height":5,"#))
        #expect(try scratch.data("c.png") == png)
        #expect(try scratch.text("e.json").hasPrefix(#"{"path":"-","format":"png","width":40,"#))
        let two = try firn.run(["load", "a.png", "a.png", "-o", "-", "--no-cache"], in: scratch)
        #expect(two.status == 2)
    }

    @Test
    func
        `transparent images are put on a background where the format has no transparency, and the summary says so once`()
        throws
    {
        try scratch.write("in/clear.png", Images.png(20, 20, alpha: true))
        try scratch.write("in/solid.png", Images.png(20, 20))
        let load = try firn.run(["load", "in", "--no-cache", "--format", "jpeg", "-o", "o"], in: scratch)
        #expect(load.status == 0 && load.errors.isEmpty)
        #expect(scratch.files(below: "o") == ["clear.jpg", "solid.jpg"])
        #expect(load.output.split(separator: "1 with transparency put on white (--background)").count == 2)
        let convert = try firn.run(
            ["convert", "in", "--format", "jpeg", "--background", "black", "--quality", "95", "-o", "c"], in: scratch)
        #expect(convert.status == 0 && convert.output.contains("1 image with transparency put on black"), "\(convert)")
        // Every other column is transparent.
        let white = try mean(of: "o/clear.jpg")
        let black = try mean(of: "c/clear.jpg")
        #expect(white > 150 && black < 110, "\(white) \(black)")
    }

    private func mean(of name: String) throws -> Int {
        _ = try firn.run(["decode", name, "-o", "mean.png"], in: scratch)
        let image = try Images.decoded(scratch.data("mean.png"))
        return image.withUnsafeBytes { bytes in
            var sum = 0
            for y in 0..<image.size.height {
                for x in 0..<image.size.width * 4 { sum += x % 4 < 3 ? Int(bytes[y * image.bytesPerRow + x]) : 0 }
            }
            return sum / (image.size.area * 3)
        }
    }

    @Test func `-q prints only failures, -v also transfers`() throws {
        try scratch.write("a.png", Images.png(4, 4))
        let quiet = try firn.run(["load", "a.png", "missing.png", "--no-cache", "-q"], in: scratch)
        #expect(quiet.output.isEmpty && quiet.errorLines.count == 1)
        #expect(try firn.run(["load", "a.png", "--no-cache", "-v"], in: scratch).status == 0)
        #expect(try firn.run(["load", "a.png", "--no-cache", "-q", "-v"], in: scratch).status == 2)
    }
}
