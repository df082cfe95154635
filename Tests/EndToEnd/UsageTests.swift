import Testing

/// Tests what `firn` says to words that it does not know.
@Suite final class UsageTests: CommandSuite {
    static let commands = [
        ["load"], ["thumbnail"], ["info"], ["decode"], ["convert"], ["compare"], ["placeholder"], ["pyramid"],
        ["processors"], ["cache", "stats"], ["cache", "verify"], ["cache", "clear"],
    ]

    @Test(arguments: commands)
    func `An unknown option comes before all other mistakes, with the nearest one`(command: [String]) throws {
        for words in [["--jsno"], ["a.png", "--jsno"], ["--isolation", "nothing", "--jsno=1"]] {
            let run = try firn.run(command + words, in: scratch)
            guard command != ["processors"], command.first != "cache" || !words.contains("nothing") else { continue }
            #expect(run.status == 2)
            #expect(run.errorLines.first == "Error: Unknown option '--jsno'. Did you mean '--json'?", "\(run.errors)")
            #expect(run.errors.contains("\nUsage: firn \(command.joined(separator: " "))"), "\(run.errors)")
        }
    }

    @Test(arguments: [
        (["laod", "x"], "laod", "load"), (["help", "convret"], "convret", "convert"),
        (["cache", "stat"], "stat", "stats"), (["help", "cache", "claer"], "claer", "clear"),
    ])
    func `An unknown command is named, with the nearest one`(words: [String], word: String, near: String) throws {
        let run = try firn.run(words, in: scratch)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.errorLines.first == "Error: Unknown command '\(word)'. Did you mean '\(near)'?", "\(run.errors)")
    }

    @Test(arguments: [[], ["serve"], ["sign"], ["gallery"], ["cache"]] + commands)
    func `Each example of a help page is one line of 80 columns`(command: [String]) throws {
        let help = try firn.run(["help"] + command, in: scratch).output
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == "EXAMPLES" || $0 == "EXAMPLE" })
        let examples = lines[(start + 1)...].prefix { !$0.isEmpty }
        #expect(!examples.isEmpty && examples.allSatisfy { $0.hasPrefix("  ") }, "\(examples.joined(separator: "\n"))")
    }

    @Test func `The version is followed by those of the libraries, of which each decodes`() throws {
        let run = try firn.run(["--version"], in: scratch)
        #expect(run.status == 0 && run.errors.isEmpty)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.first.map { Array($0.utf8.split(separator: UInt8(ascii: "."))).count } == 3)
        let names = ["http", "jpeg", "png", "webp", "avif", "heic", "jxl", "tiff", "svg"]
        for (line, name) in zip(lines.dropFirst(), names) {
            #expect(line.hasPrefix("\(name): lib") && line.contains { $0.isNumber }, "\(line)")
            #expect(!line.contains("cannot decode"), "\(line)")
        }
        #expect(lines.count == names.count + 1, "\(run.output)")
    }

    @Test(arguments: [("--inscure", "--insecure"), ("--port", "--listen 127.0.0.1:8080")])
    func `An option of the server is corrected, too`(option: String, right: String) throws {
        let run = try firn.run(["serve", option], in: scratch)
        #expect(run.status == 2)
        #expect(
            run.errorLines.first == "Error: Unknown option '\(option)'. Did you mean '\(right)'?", "\(run.errors)")
    }

    @Test(arguments: [
        ("-o", "--out", ["load", "thumbnail", "decode", "convert"]),
        ("-f", "--format", ["load", "thumbnail", "convert"]),
        ("-j", "--jobs", ["load", "thumbnail", "info", "decode", "convert", "placeholder"]),
        ("-q", "--quiet", ["load", "thumbnail", "info", "decode", "convert", "placeholder", "pyramid", "compare"]),
        ("-s", "--size", ["load", "thumbnail", "decode", "convert"]), ("-v", "--verbose", ["load", "thumbnail"]),
    ])
    func `A short form means one thing in every command that has it`(
        short: String, long: String, commands: [String]
    ) throws {
        for words in UsageTests.commands {
            let help = try firn.run(words + ["--help"], in: scratch).output
            let isListed = help.contains("\n  \(short), \(long)")
            #expect(isListed == commands.contains(words[0]), "\(words)")
            #expect(isListed || !help.contains("\n  \(short),"), "\(words)")
            #expect(isListed || !help.contains("  \(long)"), "\(words)")
        }
    }
}
