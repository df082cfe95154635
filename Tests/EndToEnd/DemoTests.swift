import FoundationEssentials
import Testing

/// Tests the demo with a few small images.
@Suite(.timeLimit(.minutes(5))) struct DemoTests {
    @Test func `Three passes, each with its own row, and a sheet`() throws {
        let scratch = try Scratch()
        for index in 0..<4 { try scratch.write("in/\(index) %.png", Images.png(300 + index, 200)) }
        let run = try BuiltCommand("firn-demo").run(
            ["--source", "in", "--latency", "0", "--bandwidth", "0", "--out", "o"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        let rows = run.lines.filter { $0.hasPrefix("cold ") || $0.hasPrefix("warm ") }.map { line in
            line.split(separator: " ").map(String.init)
        }
        #expect(rows.count == 3)
        // Each pass requests an image 6 times.
        #expect(rows.map { $0.first { Int($0) != nil } } == ["24", "24", "24"])
        #expect(run.lines.contains { $0.hasPrefix("warm memory") && $0.contains(" 0 B ") })
        #expect(run.lines.contains { $0.hasPrefix("warm disk") && $0.contains(" 0 B ") })
        #expect(Images.isPNG(try scratch.data("o/sheet.png")))
        #expect(run.lines.last?.hasPrefix("first image: ") == true)
    }

    @Test(arguments: [
        (["--latenzy", "1"], "--latenzy: there is no such option; firn-demo --help lists them"),
        (["--latency=-1"], "--latency: -1 is no number from 0 to 60000"),
        (["--out"], "--out: its value is missing"),
    ])
    func `A wrong option is named`(_ words: [String], _ error: String) throws {
        let run = try BuiltCommand("firn-demo").run(words, in: Scratch())
        #expect(run.status == 64 && run.errorLines == ["firn-demo: \(error)"])
    }

    @Test func `A source without an image is an error`() throws {
        let scratch = try Scratch()
        try scratch.write("in/readme", Data("nothing".utf8))
        let run = try BuiltCommand("firn-demo").run(["--source", "in"], in: scratch)
        #expect(run.status == 1)
        #expect(run.errorLines == ["firn-demo: in: holds no image"])
        #expect(scratch.files() == ["in", "in/readme"])
    }
}
