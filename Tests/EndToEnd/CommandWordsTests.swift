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
        ("convert --format png - -", "convert - --format png --out -"),
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
        ("help crop", "convert --help"),
        ("resize --help", "convert --help"),
        ("identify a.jpg", "info a.jpg"),
        ("exif a.jpg", "metadata a.jpg"),
        ("fetch https://example.org/a -o new.jpg", "load https://example.org/a -o new.jpg"),
        ("get https://example.org/a new.jpg", "load https://example.org/a -o new.jpg"),
        ("load a.jpg -H A:b --header C:d", "load a.jpg --header A:b --header C:d"),
        ("diff a.png b.png", "compare a.png b.png"),
        ("blurhash a.png", "placeholder a.png"),
        ("hash a.png", "decode --hash a.png"),
        ("thumbnails a.jpg --width 300", "thumbnail a.jpg -s 300x"),
        ("magick a.png new.webp", "convert a.png --out new.webp"),
        ("strip a.jpg -o new.jpg", "convert a.jpg --keep profile --out new.jpg"),
        ("cache size", "cache stats"),
        ("cache path", "cache stats"),
        ("clean", "cache clear"),
        ("a.png new.webp", "convert a.png --out new.webp"),
        ("a.png -q 60 -o new.webp", "convert a.png --quality 60 --out new.webp"),
        ("resize 50% a.jpg new.jpg", "convert a.jpg --size 50% --out new.jpg"),
        ("resize a.png 800x600 new.png", "convert a.png --size 800x600 --out new.png"),
        ("resize 640x480 a.png new.png --fit contain", "convert a.png --size 640x480 --out new.png"),
        ("resize a.jpg -q 80 --width 800 -o new.jpg", "convert a.jpg --size 800x --quality 80 --out new.jpg"),
        ("scale a.png --jobs 2 new.png 300", "convert a.png --size 300 --jobs 2 --out new.png"),
        ("convert a.png --width 800 --height=600 new.png", "convert a.png --size 800x600 --out new.png"),
        ("convert a.png -geometry 800x600> new.png", "convert a.png --size 800x600 --out new.png"),
        ("convert a.png -resize 80x60! new.png", "convert a.png --process resize=80x60:exact:up --out new.png"),
        ("convert a.png -resize 80x60^ new.png", "convert a.png --process resize=80x60:fill:up --out new.png"),
        ("convert a.jpg --to webp --outdir dir", "convert a.jpg --format webp --out dir"),
        ("convert a.jpg --quality 80% new.jpg", "convert a.jpg --quality 80 --out new.jpg"),
        ("crop a.jpg 30x20+1+2 new.jpg", "convert a.jpg --process crop=1:2:30x20 --out new.jpg"),
        ("crop a.jpg --rect 1,2,30,20 new.jpg", "convert a.jpg --process crop=1:2:30x20 --out new.jpg"),
        ("thumb a.jpg 256 new.jpg", "thumbnail a.jpg -s 256 -o new.jpg"),
        ("compress a.jpg -q 50 new.jpg", "convert a.jpg -q 50 -o new.jpg"),
        ("crop 1,2,30x20 a.jpg new.jpg", "convert a.jpg --process crop=1:2:30x20 --out new.jpg"),
        (
            "crop a.jpg --size 40x40 --gravity NorthWest new.jpg",
            "convert a.jpg --process crop=40x40:topLeft --out new.jpg"
        ),
        (
            "crop a.jpg --width 40 --height 30 -gravity west new.jpg",
            "convert a.jpg --process crop=40x30:left --out new.jpg"
        ),
        ("convert a.jpg -crop 30x20+1+2 new.jpg", "convert a.jpg --process crop=1:2:30x20 --out new.jpg"),
        ("rotate 90 a.jpg new.jpg", "convert a.jpg --process rotate=90 --out new.jpg"),
        ("rotate a.jpg -90 new.jpg", "convert a.jpg --process rotate=270 --out new.jpg"),
        ("convert a.jpg --rotate -90 new.jpg", "convert a.jpg --out new.jpg --rotate -90"),
        ("blur a.jpg --radius 3 new.jpg", "convert a.jpg --process blur=3 --out new.jpg"),
        ("grayscale a.jpg new.jpg", "convert a.jpg --process gray --out new.jpg"),
        ("convert a.jpg --grayscale -flip -flop new.jpg", "convert a.jpg --process gray,flip=vertical,flip -o new.jpg"),
        (
            "convert a.jpg -auto-orient -blur 0x4 -colorspace Gray new.jpg",
            "convert a.jpg --process blur=4,gray --out new.jpg"
        ),
        (
            "convert a.jpg --sepia 80% --process invert --brightness -0.1 new.jpg",
            "convert a.jpg --process sepia=0.8,invert,brightness=-0.1 --out new.jpg"
        ),
        ("load a.jpg --rotate 90 -o new.jpg", "load a.jpg --process rotate=90 -o new.jpg"),
        ("convert a.svg --scale 4 new.png", "convert a.svg --out new.png --scale 4"),
    ]

    /// Command lines that do not work, and what the error suggests.
    static let corrected: [(line: String, suggestion: String)] = [
        ("a.jpg", "firn info a.jpg"),
        ("https://example.org/a.jpg", "firn info https://example.org/a.jpg"),
        ("mogrify -resize 50% a.jpg", "firn convert"),
        ("optimize a.png", "firn convert"),
        ("list", "firn --version"),
        ("watermark a.png b.png", "firn convert --watermark FILE"),
        ("completion bash", "firn --generate-completion-script bash"),
        ("convrt a.png b.webp", "convert"),
        ("convert -t webp a.png", "--format"),
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

    @Test(arguments: ["crop a.jpg new.jpg", "resize a.jpg new.jpg", "convert a.jpg new.jpg --blur"])
    func `A change without its value is an error`(line: String) throws { #expect(usageError(line) != nil) }

    @Test func `The words of a server become its options`() throws {
        try scratch.write("images/a.png", Images.png(8, 8))
        let folder = scratch.path("images")
        let lines = [
            "serve --port 80 --root \(folder)": "serve --local-root \(folder) --listen 127.0.0.1:80",
            "serve \(folder) -p 80 --key 00": "serve --local-root \(folder) --key 00 --listen 127.0.0.1:80",
            "serve --host 0.0.0.0": "serve --listen 0.0.0.0:8080", "serve --check": "serve --check",
        ]
        for (line, meaning) in lines {
            let words = CommandWords.translated(line.split(separator: " ").map(String.init))
            #expect(words.joined(separator: " ") == meaning)
        }
    }

    @Test func `Changes by the names of other programs are those of the image`() throws {
        try scratch.write("a.png", Images.png(80, 60))
        let logo = try Bitmap(width: 10, height: 10, color: .red)
        try scratch.write("logo.png", logo.pngData())
        let image = try Images.bitmap(80, 60)
        let expected: [(String, Bitmap)] = try [
            ("crop a.png 30x20+1+2 b.png", image.cropped(x: 1, y: 2, width: 30, height: 20)),
            ("crop a.png --size 20x20 --gravity center b.png", image.cropped(to: 20)),
            ("resize 50% a.png b.png", image.scaled(by: 0.5)), ("a.png b.png", image),
            (
                "convert a.png -rotate 90 -blur 0x2 -colorspace gray b.png",
                image.rotated(by: 90).blurred(radius: 2).grayscale()
            ),
            ("convert a.png --watermark logo.png b.png", image.overlaying(logo)),
        ]
        for (line, image) in expected {
            let run = try firn.run(line.split(separator: " ").map(String.init), in: scratch)
            #expect(run.status == 0, "\(line): \(run.errors)")
            let written = try ImageDecoder(data: scratch.data("b.png")).frame(at: 0).image()
            #expect(written.size == image.size, "\(line)")
            let (left, right) = try (written.converted(to: .rgba8Straight), image.converted(to: .rgba8Straight))
            #expect(try left.pngData() == right.pngData(), "\(line)")
            unlink(scratch.path("b.png"))
        }
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
