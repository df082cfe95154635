import FirnTesting
import FoundationEssentials
import Testing

/// Tests untrusted text that is written to a terminal or a trace.
@Suite(.timeLimit(.minutes(5))) final class TerminalOutputTests: CommandSuite {
    private static let evil = "\u{1B}[31m\u{1B}]0;title\u{7}\nFORGED\u{202E}\u{9B}2J"

    private func isPlain(_ run: BuiltCommand.Outcome) -> Bool {
        for text in [run.output, run.errors] {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if lines.contains(where: { $0.hasPrefix("FORGED") }) { return false }
            if lines.joined().unicodeScalars.contains(where: {
                $0.value < 32 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E
            }) {
                return false
            }
        }
        return run.status == 0 || run.status == 1 || run.status == 2
    }

    @Test func `every name in the output is escaped`() throws {
        let name = "a\(TerminalOutputTests.evil).png"
        try scratch.write(name, Images.png(4, 4))
        try scratch.write("cut\(name)", Images.png(64, 64).prefix(60))
        try scratch.write("list.txt", Data("http://127.0.0.1:1/x\u{1B}[31m\nx://\u{1B}[31m\nno\u{1B}[31m\n".utf8))
        for file in [name, "cut\(name)", "missing\(name)"] {
            let commands = [
                ["info"], ["info", "--json"], ["decode", "--hash"], ["placeholder"], ["load", "--no-cache", "-o", "o"],
                ["load", "--no-cache", "--json"], ["convert", "--format", "webp", "-o", "c"],
                ["thumbnail", "--no-cache", "-o", "t"],
            ]
            for command in commands { #expect(isPlain(try firn.run(command + [file], in: scratch)), "\(command)") }
        }
        for command in [["load", "@list.txt", "--no-cache"], ["info", "@list.txt", "--trust-lists"]] {
            #expect(isPlain(try firn.run(command, in: scratch)), "\(command)")
        }
        #expect(isPlain(try firn.run(["load", "--size", TerminalOutputTests.evil, "x"], in: scratch)))
        #expect(isPlain(try firn.run(["cache", "stats", name], in: scratch)))
        #expect(isPlain(try firn.run(["load", name, "--no-cache", "-o", name], in: scratch)))
    }

    @Test(arguments: [false, true])
    func `no output has the secrets of an address, unless --show-queries is given`(isShown: Bool) throws {
        let server = try ScriptedServer()
        server.respond(to: "/p.png?token=tok-e97a&w=3", with: .body(try Images.png(4, 4)))
        let address = server.url("/p.png?token=tok-e97a&w=3").replacing("://", with: "://usr-8d1f:pwd-52c0@")
        let missing = server.url("/none.png?sig=sig-77aa").replacing("://", with: "://usr-8d1f:pwd-52c0@")
        let more = isShown ? ["--show-queries"] : []
        var texts: [String] = []
        for words in [["-v"], ["--json"]] {
            let run = try firn.run(
                ["load", address, missing, "--no-cache", "--trace", "t.json"] + words + more,
                in: scratch)
            #expect(run.status == 1)
            texts += [run.output + run.errors, try scratch.text("t.json")]
        }
        let info = try firn.run(["info", address, missing, "--no-cache"] + more, in: scratch)
        texts.append(info.output + info.errors)
        #expect(info.lines.count == 1, "\(info.errors)")
        for text in texts {
            #expect(text.contains("tok-e97a") == isShown && text.contains("sig-77aa") == isShown, "\(text.prefix(300))")
            if !isShown { #expect(!text.contains("usr-8d1f") && !text.contains("pwd-52c0")) }
            #expect(text.contains("/none.png?sig="))
        }
    }

    @Test func `a refused address of a list is reported with the option that allows it`() throws {
        try scratch.write("list.txt", Data("http://127.0.0.1:1/a.png\n".utf8))
        let run = try firn.run(["load", "@list.txt", "--no-cache"], in: scratch)
        #expect(run.errors.contains("--trust-lists"))
        #expect(
            try !firn.run(["load", "@list.txt", "--no-cache", "--trust-lists"], in: scratch).errors.contains("--trust"))
    }

    @Test func `info prints a table on a terminal, lines elsewhere, and EXIF data on request`() throws {
        try scratch.write("in/a.png", Images.png(40, 20))
        try scratch.write("in/雪.jpg", Images.jpeg(4, 3))
        let terminal = BuiltCommand(at: "/usr/bin/script")
        let run = try terminal.run(["-qec", "'\(firn.path)' info in", "/dev/null"], in: scratch)
        let lines = run.output.split(whereSeparator: \.isNewline).map(String.init)
        #expect(lines.count == 4 && lines[0].contains("name       format"), "\(run.output)")
        #expect(lines.last?.hasPrefix("in/雪.jpg  jpeg") == true, "\(run.output)")
        let plain = try firn.run(["info", "in"], in: scratch)
        #expect(plain.lines.count == 2 && plain.lines[0].hasPrefix("in/a.png: png 40x20"))
        let camera = Data("MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{10}\0\u{2}\0\0\0\u{5}\0\0\0\u{1A}\0\0\0\0Cam\u{1}\0".utf8)
        let jpeg = try Images.jpeg(4, 3)
        let segment = Data("Exif\0\0".utf8) + camera
        let length = segment.count + 2
        try scratch.write("e.jpg", jpeg.prefix(2) + Data([0xFF, 0xE1, 0, UInt8(length)]) + segment + jpeg.dropFirst(2))
        let described = try firn.run(["info", "--exif", "e.jpg"], in: scratch)
        #expect(described.lines.suffix(2) == ["  Camera: Cam", "  Model: Cam"])
        #expect(
            try firn.run(["info", "--json", "e.jpg"], in: scratch).output.contains(
                #""metadata":{"Model":"Cam"}"#))
    }
}
