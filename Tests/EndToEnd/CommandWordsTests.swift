import ArgumentParser
import FirnReport
import FirnSystem
import FoundationEssentials
import Testing

@testable import firn

/// Tests command lines as people write them who know ImageMagick, vips, curl or Pillow. Most are only parsed.
@Suite final class CommandWordsTests: CommandSuite {
    /// Command lines that work, and what they mean. No file of these names exists.
    static let accepted: [(line: String, meaning: String)] = [
        ("info a.jpg", "info a.jpg"),
        ("info --json a.jpg b.png", "info a.jpg b.png --json"),
        ("convert a.jpg new.png", "convert a.jpg --out new.png"),
        ("convert a.jpg -q 60 new.webp", "convert a.jpg --quality 60 --out new.webp"),
        ("convert -q60 a.jpg new.webp", "convert a.jpg --quality 60 --out new.webp"),
        ("convert a.jpg -quality 60 new.webp", "convert a.jpg --quality 60 --out new.webp"),
        ("convert a.jpg --quality 80 --strip -o new.jpg", "convert a.jpg --quality 80 --keep profile --out new.jpg"),
        ("convert a.jpg new.jpg --quality 80 --strip", "convert a.jpg --quality 80 --keep profile --out new.jpg"),
        ("convert -strip a.jpg new.jpg", "convert a.jpg --keep profile --out new.jpg"),
        ("convert a.jpg b.jpg --out dir -f webp", "convert a.jpg b.jpg --out dir --format webp"),
        ("convert a.jpg b.jpg -f webp", "convert a.jpg b.jpg --format webp"),
        ("convert a.jpg new.webp -f webp", "convert a.jpg --out new.webp --format webp"),
        ("convert - new.webp", "convert - --out new.webp"),
        ("convert https://example.org/a new.webp", "convert https://example.org/a --out new.webp"),
        ("convert -i a.png -o new.png", "convert a.png --out new.png"),
        ("convert a.png --output new.png", "convert a.png --out new.png"),
        ("convert a.png -o png:-", "convert a.png --format png --out -"),
        ("convert a.png webp:-", "convert a.png --format webp --out -"),
        ("convert a.png -resize 50% new.png", "convert a.png --size 50% --out new.png"),
        ("convert a.png --resize 800x600 new.png", "convert a.png --size 800x600 --out new.png"),
        ("convert a.jpg -rotate 90 new.jpg", "convert a.jpg --rotate 90 --out new.jpg"),
        ("convert a.jpg --quiet new.png", "convert a.jpg -q --out new.png"),
        ("convert -j 4 a.png b.png -f webp -q", "convert a.png b.png --format webp --quiet --jobs 4"),
        ("convert -f webp -- -q 60", "convert --format webp -- -q 60"),
        ("thumbnail a.jpg new.png", "thumbnail a.jpg --out new.png"),
        ("thumbnail a.jpg --size 256 -o new.png", "thumbnail a.jpg -s 256 --out new.png"),
        ("thumbnail a.jpg --resize 320x200 --crop", "thumbnail a.jpg -s 320x200 --crop center"),
        ("thumbnail -s 320x200 --crop a.jpg", "thumbnail a.jpg -s 320x200 --crop center"),
        ("thumbnail a.jpg -s 9x9 --crop attention", "thumbnail a.jpg -s 9x9 --crop=attention"),
        ("load a.jpg -resize 50% -q 5 -o new.jpg", "load a.jpg --size 50% --quality 5 --out new.jpg"),
        ("load a.jpg b.jpg -q", "load a.jpg b.jpg --quiet"),
        ("decode a.jpg --resize 64 -o -", "decode a.jpg --size 64 --out /dev/stdout"),
        ("decode a.jpg -o png:-", "decode a.jpg --out /dev/stdout"),
        ("cache clear", "cache clear"),
        ("cache info", "cache stats"),
        ("version", "--version"),
        ("-V", "--version"),
        ("-v", "--version"),
        ("help", "--help"),
        ("--help convert", "convert --help"),
        ("-h cache clear", "cache clear --help"),
    ]

    /// Command lines that do not work, and what the error suggests.
    static let corrected: [(line: String, suggestion: String)] = [
        ("a.jpg", "firn info a.jpg"),
        ("https://example.org/a.jpg", "firn info https://example.org/a.jpg"),
        ("identify a.jpg", "firn info"),
        ("exif a.jpg", "firn metadata"),
        ("resize a.png 800x600 b.png", "firn convert"),
        ("mogrify -resize 50% a.jpg", "firn convert"),
        ("optimize a.png", "firn convert"),
        ("get https://example.org/a.jpg", "firn load"),
        ("diff a.png b.png", "firn compare"),
        ("view a.jpg", "firn gallery"),
        ("blurhash a.png", "firn placeholder"),
        ("formats", "firn --version"),
        ("completion bash", "firn --generate-completion-script bash"),
        ("cache size", "firn cache stats"),
        ("clean", "firn cache clear"),
        ("convrt a.png b.webp", "convert"),
        ("convert --to webp a.png", "--format"),
        ("convert a.png --width 800 b.png", "--size 800x"),
        ("convert a.jpg --crop 100x100+10+10 b.jpg", "--process crop=400x300"),
        ("convert a.jpg --grayscale b.jpg", "--process gray"),
        ("convert a.png --force -o b.png", "--out FILE"),
        ("thumbnail a.png --threads 4", "--jobs"),
        ("info a.png -quiet", "--quiet"),
    ]

    /// Returns the command that a line means, or the text that it prints instead.
    ///
    /// - Throws: the error of a line that is no right one.
    private func meaning(_ line: String) throws -> String {
        do {
            let words = CommandWords.translated(line.split(separator: " ").map(String.init))
            var command = try FirnCommand.parseAsRoot(words)
            // Only help is run, which throws its text.
            if words.contains("help") || words.contains("--help") { try command.run() }
            return String(describing: command)
        } catch {
            guard FirnCommand.exitCode(for: error) == .success else { throw error }
            return FirnCommand.message(for: error)
        }
    }

    /// Returns the usage error of a command line; `nil` if it is right.
    private func usageError(_ line: String) -> String? {
        do {
            _ = try meaning(line)
            return nil
        } catch { return FirnCommand.message(for: error) }
    }

    @Test(arguments: accepted)
    func `A command line of another program works`(line: String, meaning: String) throws {
        #expect(try self.meaning(line) == self.meaning(meaning))
    }

    @Test func `Different command lines have different meanings`() throws {
        let meanings = try Set(CommandWordsTests.accepted.map { try meaning($0.meaning) })
        #expect(meanings.count == Set(CommandWordsTests.accepted.map(\.meaning)).count)
    }

    @Test func `The error of a wrong word suggests a right one`() throws {
        let tree = try #require(CommandTree(dump: FirnCommand._dumpHelp()))
        for (line, suggestion) in CommandWordsTests.corrected {
            #expect(usageError(line) != nil, "\(line)")
            let words = CommandWords.translated(line.split(separator: " ").map(String.init))
            let fault = UsageFault(in: words, of: tree, replacement: CommandWords.replacement)
            #expect(
                fault?.message.hasSuffix(". Did you mean '\(suggestion)'?") == true, "\(line): \(fault?.message ?? "")")
        }
    }

    @Test(arguments: [
        ("convert a.jpg -o new.heic", "new.heic: HEIC is never written; use AVIF instead."),
        ("convert a.jpg new.HEIF", "new.HEIF: HEIF is never written; use AVIF instead."),
        ("convert a.jpg --format heic", "HEIC is never written; use AVIF instead."),
        ("convert a.jpg heic:-", "HEIC is never written; use AVIF instead."),
        ("load a.jpg -o new.heic", "new.heic: HEIC is never written; use AVIF instead."),
        ("decode a.jpg -o new.heic", "new.heic: HEIC is never written; use AVIF instead."),
        ("thumbnail a.jpg new.svg", "new.svg: SVG is never written; use PNG instead."),
        ("convert a.jpg --format jpeg2000", "The formats are jpeg, png, "),
        ("convert a.jpg -o png:- --format webp", "--format webp and the name png:- contradict each other."),
        ("convert a.jpg new.png -q 60", "--quality does not apply to png, only to jpeg, "),
        ("convert a.jpg", "Name one new file that ends in .png, "),
        ("convert a.jpg b.jpg new.webp", "Name one new file that ends in .png, "),
        ("convert @list new.webp", "Name one new file that ends in .png, "),
    ])
    func `An output that cannot be written is an error with the reason`(line: String, reason: String) throws {
        let fault = try #require(usageError(line))
        #expect(fault.contains(reason), "\(fault)")
    }

    @Test func `Only a free name and a file that is no image are taken for the output`() throws {
        let path = { [scratch] name in scratch.path(name) }
        try scratch.write("image.png", Images.png(8, 8))
        for name in ["other.png", "other.webp"] { try scratch.write(name, Data("no image".utf8)) }
        try scratch.write("empty.webp", Data())
        try scratch.write("folder.png/a.png", Images.png(8, 8))
        try #require(symlink("image.png", path("link.png")) == 0)
        try #require(symlink("missing", path("nowhere.png")) == 0)
        try #require(mkfifo(path("pipe.png"), 0o600) == 0)
        for name in ["new.png", "other.webp", "empty.webp"] {
            let line = "\(path("image.png")) \(path(name))"
            #expect(try meaning("convert \(line)").contains("sources: [\"\(path("image.png"))\"]"), "\(name)")
            #expect(usageError("convert \(path("folder.png")) \(path(name))") != nil, "\(name)")
            // Both may be sources of these commands.
            for command in ["thumbnail", "convert -f png"] {
                let isTaken = try meaning("\(command) \(line)").contains("sources: [\"\(path("image.png"))\"]")
                #expect(isTaken == (name == "new.png"), "\(command): \(name)")
            }
        }
        // A shell's pattern may name other.png, which may be damaged.
        for name in ["image.png", "other.png", "link.png", "nowhere.png", "pipe.png", "folder.png"] {
            let fault = try #require(usageError("convert \(path("image.png")) \(path(name))"), "\(name)")
            #expect(fault.contains("\(path(name)) exists, so it is a second source"), "\(fault)")
        }
    }

    @Test func `A second name is written once, and then is a source that stays`() throws {
        try scratch.write("a.png", Images.png(80, 60))
        let first = try firn.run(["convert", "a.png", "-q", "60", "--resize", "50%", "b.webp"], in: scratch)
        #expect(first.status == 0 && first.lines.first?.hasPrefix("a.png -> b.webp: 40x30") == true, "\(first.errors)")
        let before = try scratch.data("b.webp")
        let second = try firn.run(["convert", "a.png", "b.webp"], in: scratch)
        #expect(second.status == 2 && second.errors.contains("to replace it, name it after --out"), "\(second.errors)")
        #expect(try scratch.data("b.webp") == before && scratch.files() == ["a.png", "b.webp"])
    }

    @Test(arguments: [
        "convert a.png -o png:-", "convert a.png png:-", "load a.png --no-cache -s 9 -o png:-", "decode a.png -o -",
    ])
    func `A format before a hyphen is that of the standard output`(line: String) throws {
        try scratch.write("a.png", Images.png(40, 30))
        let shell = "exec > out.png"
        let run = try firn.run(line.split(separator: " ").map(String.init), in: scratch, shell: shell)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try scratch.data("out.png").starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }

    @Test func `A crop without a value keeps the center`() throws {
        try scratch.write("a.png", Images.png(300, 200))
        for (name, crop) in [("b.png", ["--crop", "a.png"]), ("c.png", ["--crop", "center", "a.png"])] {
            let run = try firn.run(["thumbnail", "--no-cache", "-s", "60x60"] + crop + [name], in: scratch)
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(try scratch.data("b.png") == scratch.data("c.png"))
    }

    @Test func `Each paragraph of a help page is one line, which the terminal wraps`() {
        let commands =
            [FirnCommand.self] + FirnCommand.configuration.subcommands + CacheCommand.configuration.subcommands
        for command in commands {
            let lines = command.configuration.discussion.split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst()) where !line.isEmpty && !next.isEmpty {
                #expect(line.hasPrefix(" ") || next.hasPrefix(" "), "\(line)\n\(next)")
            }
            #expect(command.configuration.abstract.count <= 54, "\(command.configuration.abstract)")
        }
    }
}
