import FirnTesting
import FoundationEssentials
import Testing

/// Tests the sizes at which the command draws SVG.
@Suite(.timeLimit(.minutes(5))) final class DrawingTests: CommandSuite {
    override init() throws {
        try super.init()
        let disc = "<circle cx='12' cy='6' r='5'/>"
        try scratch.write("icon.svg", svg("width='24' height='12' viewBox='0 0 24 12'", disc))
        try scratch.write("large.svg", svg("width='240' height='120' viewBox='0 0 24 12'", disc))
    }

    private func svg(_ attributes: String, _ content: String = "") -> Data {
        Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>".utf8)
    }

    private func hash(_ name: String, _ options: String...) throws -> String {
        let run = try firn.run(["decode", "--hash", name] + options, in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        return String(run.output.prefix(64))
    }

    @Test(arguments: ["none", "complex", "all"])
    func `every command draws at the size that is asked for`(isolation: String) throws {
        let wanted = try hash("large.svg")
        let options = ["--isolation", isolation]
        #expect(try hash("icon.svg", "--size", "240", "--isolation", isolation) == wanted)
        for (command, place) in [
            (["convert", "icon.svg", "--size", "240", "--out", "c.png"], "c.png"),
            (["convert", "icon.svg", "--process", "resize=240x", "--out", "p.png"], "p.png"),
            (["load", "icon.svg", "--no-cache", "--size", "240", "--out", "l.png"], "l.png"),
            (["thumbnail", "icon.svg", "--no-cache", "--size", "240", "--out", "t.png"], "t.png"),
        ] {
            let run = try firn.run(command + options, in: scratch)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try hash(place) == wanted, "\(command)")
        }
    }

    @Test func `--scale and --dpi multiply a drawing's own size, and leave other images as they are`() throws {
        let wanted = try hash("large.svg")
        for options in [["--scale", "10"], ["--dpi", "960"]] {
            for command in ["convert", "load", "decode"] {
                let rest = command == "load" ? ["--no-cache"] : []
                let run = try firn.run([command, "icon.svg", "--out", "a.png"] + options + rest, in: scratch)
                #expect(run.status == 0, "\(run.errors)")
                #expect(try hash("a.png") == wanted, "\(command) \(options)")
            }
        }
        try scratch.write("in.png", Images.png(40, 30))
        let run = try firn.run(["decode", "in.png", "--scale", "2", "--json"], in: scratch)
        #expect(run.output.contains(#""width":40,"height":30"#), "\(run.output)")
        for wrong in [["--scale", "2", "--dpi", "96"], ["--scale", "2", "--size", "9"], ["--dpi", "0"]] {
            #expect(try firn.run(["decode", "icon.svg"] + wrong, in: scratch).status == 2)
        }
    }

    @Test func `sides that are no whole pixels keep their ratio`() throws {
        try scratch.write("ratio.svg", svg("width='1.2' height='0.5'"))
        try scratch.write("long.svg", svg("width='100000' height='50000'"))
        for (name, size, json) in [
            ("ratio.svg", "300x", #""width":300,"height":125"#), ("long.svg", "64", #""width":64,"height":32"#),
        ] {
            let run = try firn.run(["decode", name, "--size", size, "--json"], in: scratch)
            #expect(run.output.contains(json), "\(run.output) \(run.errors)")
        }
        #expect(try firn.run(["info", "long.svg"], in: scratch).output.contains("32767x16384"))
    }
}
