import FoundationEssentials
import FirnSystem
import Testing

/// Tests runs that go on with an earlier run: `--newer` and `--no-clobber`.
@Suite final class GoOnTests: CommandSuite {
    static let commands = [
        ["convert", "d", "--format", "webp", "-o", "out"], ["load", "d", "--no-cache", "-o", "out"],
        ["load", "d", "--no-cache", "--size", "2", "-o", "out"],
        ["load", "d", "--no-cache", "--format", "bmp", "-o", "out"],
        ["thumbnail", "d", "--no-cache", "-o", "out"], ["thumbnail", "d", "--no-cache"],
    ]

    override init() throws {
        try super.init()
        try scratch.write("d/a.png", Images.png(4, 3))
        try scratch.write("d/b.jpg", Images.jpeg(8, 6))
    }

    /// Makes the pixels of a source undecodable, but not its header, and keeps its times.
    private func damage(_ name: String) throws {
        let path = scratch.path(name)
        var status = stat()
        try #require(stat(path, &status) == 0)
        try scratch.write(name, scratch.data(name).prefix(80))
        var times = [status.st_atim, status.st_mtim]
        try #require(utimensat(AT_FDCWD, path, &times, 0) == 0)
    }

    private func setTime(_ name: String, after other: String) throws {
        var status = stat()
        try #require(stat(scratch.path(other), &status) == 0)
        status.st_mtim.tv_sec += 10
        var times = [status.st_atim, status.st_mtim]
        try #require(utimensat(AT_FDCWD, scratch.path(name), &times, 0) == 0)
    }

    @Test(arguments: commands, ["--newer", "--no-clobber"])
    func `Nothing is decoded whose output is there`(command: [String], option: String) throws {
        #expect(try firn.run(command + [option], in: scratch).status == 0)
        try damage("d/a.png")
        try damage("d/b.jpg")
        #expect(try firn.run(command, in: scratch).status == 1)
        let run = try firn.run(command + [option], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.count { $0.hasSuffix(" was there and stays") } == 2, "\(run.output)")
        let json = try firn.run(command + [option, "--json"], in: scratch)
        #expect(json.lines.count { $0.hasSuffix(#","kept":true}"#) } == 2, "\(json.output)")
    }

    @Test(arguments: commands) func `A changed source is made again`(command: [String]) throws {
        let first = try firn.run(command + ["--newer"], in: scratch)
        let outputs = scratch.files().filter { !["d", "d/a.png", "d/b.jpg", "out"].contains($0) }
        #expect(outputs.count == 2 && first.status == 0, "\(outputs) \(first.errors)")
        let changed = try #require(outputs.first { $0.contains("b.") })
        try scratch.write("d/b.jpg", Images.jpeg(40, 30))
        try setTime("d/b.jpg", after: changed)
        let before = try scratch.data(changed)
        let run = try firn.run(command + ["--newer"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.count { $0.hasSuffix(" was there and stays") } == 1, "\(run.output)")
        #expect(try scratch.data(changed) != before)
        #expect(scratch.files().filter { !["d", "d/a.png", "d/b.jpg", "out"].contains($0) } == outputs)
    }

    @Test func `A file that another source made is not taken for the output`() throws {
        try scratch.write("e/a.png", Images.png(9, 9))
        #expect(try firn.run(["convert", "e/a.png", "--format", "webp", "-o", "out/"], in: scratch).status == 0)
        let run = try firn.run(["convert", "d/a.png", "--format", "webp", "-o", "out/", "--newer"], in: scratch)
        #expect(run.output.hasPrefix("d/a.png -> out/a-2.webp"), "\(run.output)")
        let again = try firn.run(["convert", "d/a.png", "--format", "webp", "-o", "out/", "--newer"], in: scratch)
        #expect(again.lines == ["d/a.png: out/a-2.webp was there and stays"])
    }

    @Test func `A file that the user names is made again only if the source is newer`() throws {
        let words = ["convert", "d/a.png", "-o", "x.webp", "--newer"]
        #expect(try firn.run(words, in: scratch).output.hasPrefix("d/a.png -> x.webp"))
        #expect(try firn.run(words, in: scratch).lines == ["d/a.png: x.webp was there and stays"])
        try setTime("d/a.png", after: "x.webp")
        #expect(try firn.run(words, in: scratch).output.hasPrefix("d/a.png -> x.webp"))
        let self0 = try firn.run(["convert", "d/a.png", "-o", "d/a.png", "--newer"], in: scratch)
        #expect(self0.status == 1 && self0.errors.contains("over itself"), "\(self0.errors)")
    }

    @Test func `The two options exclude each other`() throws {
        for words in GoOnTests.commands {
            #expect(try firn.run(words + ["--newer", "--no-clobber"], in: scratch).status == 2)
        }
    }
}
