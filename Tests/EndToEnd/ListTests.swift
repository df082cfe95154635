import FoundationEssentials
import FirnSystem
import Testing

/// Tests lists and images that come through pipes and descriptors.
@Suite(.timeLimit(.minutes(2))) final class ListTests: CommandSuite {
    override init() throws {
        try super.init()
        try scratch.write("a.png", Images.png(4, 3))
        try scratch.write("b c.png", Images.png(5, 3))
        try scratch.write("list.txt", Data("# two\na.png\n  b c.png  \n".utf8))
    }

    private func bash(_ command: String) throws -> BuiltCommand.Outcome {
        try BuiltCommand(at: "/bin/bash").run(["-c", command.replacing("firn", with: firn.path)], in: scratch)
    }

    @Test(arguments: [
        "firn info @- < list.txt", "cat list.txt | firn info @-", "firn info @<(cat list.txt)",
        "cat list.txt | firn info @/dev/stdin", "printf 'a.png\\0b c.png\\0' | firn info @-",
        "mkfifo p && { cat list.txt > p & } && firn info @p",
    ])
    func `A list is read from the standard input, a descriptor or a pipe`(command: String) throws {
        let run = try bash(command)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.map { $0.prefix { $0 != ":" } } == ["a.png", "b c.png"], "\(run.output)")
    }

    @Test(arguments: [
        "firn info <(cat a.png)", "cat a.png | firn info /dev/stdin", "cat a.png | firn info -",
        "firn decode <(cat a.png)", "firn load --no-cache <(cat a.png)", "firn placeholder <(cat a.png)",
    ])
    func `An image is read from a descriptor`(command: String) throws {
        let run = try bash(command)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("4x3"), "\(run.output)")
    }

    @Test func `A name in a list with NUL characters may have a line break`() throws {
        try scratch.write("new\nline#.png", Images.png(6, 3))
        let run = try bash("find . -name 'new*' -print0 | firn info --json @-")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(#""path":"./new\nline#.png""#), "\(run.output)")
    }

    @Test func `The standard input is read once`() throws {
        let run = try bash("cat a.png | firn info - @- -")
        #expect(run.status == 1)
        #expect(run.lines.count == 1)
        #expect(
            run.errorLines == [
                "firn: @-: the standard input is already a source", "firn: -: the standard input is already a source",
            ])
    }

    @Test func `A pipe that a list names is an error at once`() throws {
        let run = try bash("mkfifo p && echo p | firn info @-")
        #expect(run.status == 1)
        #expect(run.errors.contains("p: ") && run.errors.contains("not a regular file"), "\(run.errors)")
    }

    @Test func `Empty, unknown and unreadable files of a folder are counted`() throws {
        for (name, data) in [("d/empty.png", ""), ("d/in/none.jpg", ""), ("d/text.png", "text"), ("d/.hidden", "")] {
            try scratch.write(name, Data(data.utf8))
        }
        try scratch.write("d/a.png", Images.png(4, 3))
        let counts = "3 files left out (2 empty, 1 of no known format)"
        let load = try firn.run(["load", "d", "--no-cache"], in: scratch)
        #expect(load.status == 0 && load.lines.last?.hasPrefix("1 loaded, \(counts), ") == true, "\(load.output)")
        let json = try firn.run(["load", "d", "--no-cache", "--json"], in: scratch)
        #expect(json.lines.last?.contains(#""leftOut":{"empty":2,"unknown":1,"unreadable":0}"#) == true)
        for words in [
            ["info", "d"], ["info", "--json", "d"], ["convert", "d", "--format", "bmp"], ["pyramid", "d"],
        ] {
            let run = try firn.run(words + (words[0] == "pyramid" ? ["--cache", "cache"] : []), in: scratch)
            #expect(run.status == 0 && run.errorLines.last == "firn: \(counts)", "\(words) \(run.errors)")
        }
        #expect(try firn.run(["info", "-q", "d"], in: scratch).errors.isEmpty)
    }
}
