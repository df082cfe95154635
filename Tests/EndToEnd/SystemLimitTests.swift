import FirnTesting
import FoundationEssentials
import FirnSystem
import Testing

/// Tests file names that are not UTF-8, and a process without free file descriptors.
@Suite(.timeLimit(.minutes(5))) final class SystemLimitTests: CommandSuite {
    @Test func `a file whose name is not UTF-8 is found, described, converted and loaded like any other`() throws {
        try scratch.write("in/plain.png", Images.png(6, 4))
        let odd = (Array("\(scratch.root)/in/na".utf8) + [0xFF, 0xE9] + Array("me.png".utf8) + [0]).map {
            CChar(bitPattern: $0)
        }
        let renamed = odd.withUnsafeBufferPointer { name in
            name.baseAddress.map { rename(scratch.path("in/plain.png"), $0) }
        }
        #expect(renamed == 0)
        for words in [["info"], ["load", "--no-cache"], ["load", "--no-cache", "--json"]] {
            let run = try firn.run(words + ["in"], in: scratch)
            #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
            #expect(
                run.output.contains(words.contains("--json") ? "file:in/na%FF%E9me.png" : #"in/na\xff\xe9me.png"#),
                "\(run.output)")
        }
        let shell = BuiltCommand(at: "/bin/sh")
        let name = "\"$(printf 'in/na\\377\\351me.png')\""
        let steps = [
            "\"$0\" info \(name)", "\"$0\" decode --hash \(name)", "\"$0\" convert \(name) --format webp -o o",
            "\"$0\" load \(name) --no-cache -o o", "\"$0\" load file:in/na%FF%E9me.png --no-cache",
            "\"$0\" thumbnail \(name) -o o",
            "test -f \"$(printf 'o/na\\377\\351me.webp')\"", "test -f \"$(printf 'o/na\\377\\351me.png')\"",
        ]
        for step in steps {
            let run = try shell.run(["-c", step, firn.path], in: scratch)
            #expect(run.status == 0 && run.errors.isEmpty, "\(step): \(run.errors)")
        }
    }

    /// Swift ends a program in which a small allocation fails.
    @Test(arguments: [400, 600, 900, 1200])
    func `address space that is used up by images is an error of an image`(mebibytes: Int) throws {
        let names = (0..<6).map { "\($0).png" }
        for name in names { try scratch.write(name, Images.png(3000, 2000)) }
        let run = try firn.run(
            ["convert", "--isolation", "none", "--format", "webp", "-o", "out"] + names, in: scratch,
            shell: "ulimit -v \(mebibytes << 10)")
        #expect(run.status == 0 || run.status == 1, "\(run.status): \(run.errors.prefix(600))")
        #expect(run.errorLines.count <= names.count, "\(run.errors.prefix(600))")
    }

    @Test func `more hosts than descriptors are loaded, since connections that nobody uses are closed`() throws {
        let servers = try (0..<200).map { _ in try ScriptedServer() }
        let image = try Images.png(8, 8)
        for server in servers { server.respond(to: "/b.png", with: .body(image)) }
        let run = try firn.run(
            ["load", "--no-cache"] + servers.map { $0.url("/b.png") }, in: scratch, shell: "ulimit -n 64")
        #expect(run.status == 0, "\(run.errors.prefix(400))")
        let records = servers.map(\.requests.record)
        #expect(records.allSatisfy { $0.ended.map(\.path) == ["/b.png"] && $0.cancelled.isEmpty })
    }

    @Test(arguments: [4, 5, 6, 8, 10, 12, 14, 16, 20])
    func `running out of descriptors is an error of the operation that needed one`(limit: Int) throws {
        let server = try ScriptedServer()
        server.respond(to: "/b.png", with: .body(try Images.png(8, 8)))
        try scratch.write("a.png", Images.png(8, 8))
        let run = try firn.run(
            ["load", "a.png", server.url("/b.png"), "--no-cache"], in: scratch, shell: "ulimit -n \(limit)")
        #expect(run.status == 0 || run.status == 1 || run.status == 127, "\(run.status): \(run.errors.prefix(400))")
        #expect(run.errorLines.count <= 2, "\(run.errors.prefix(400))")
    }
}
