import FirnTesting
import FoundationEssentials
import FirnSystem
import Testing

/// Tests arguments and list lines that are not regular files, and sources that take too long.
@Suite(.timeLimit(.minutes(5))) final class SpecialFileTests: CommandSuite {
    @Test(arguments: [["info"], ["decode", "--hash"], ["load", "--no-cache"]])
    func `A pipe is an error at once`(command: [String]) throws {
        try #require(mkfifo(scratch.path("pipe.png"), 0o600) == 0)
        let run = try firn.run(command + ["pipe.png"], in: scratch)
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.contains("pipe.png: ") && run.errors.contains("not a regular file"), "\(run.errors)")
    }

    @Test func `A pipe, a socket and a device in a list are errors at once, and the rest is loaded`() throws {
        try #require(mkfifo(scratch.path("pipe.png"), 0o600) == 0)
        try #require(mknod(scratch.path("socket.png"), S_IFSOCK | 0o600, 0) == 0)
        try scratch.write("a.png", Images.png(4, 3))
        try scratch.write("list.txt", Data("pipe.png\na.png\nsocket.png\n/dev/zero\n".utf8))
        let run = try firn.run(["load", "@list.txt", "--no-cache", "--json"], in: scratch)
        #expect(run.status == 1)
        #expect(run.lines.last?.hasPrefix(#"{"summary":{"loaded":1,"failed":3,"#) == true, "\(run.output)")
    }

    @Test(arguments: [
        "", "@", "http://127.0.0.1:1/", "http://", "file://", "foo://", "data:", "data:image/png;base64,",
    ])
    func `A line of any length in a list is quoted shortened, and the rest is loaded`(start: String) throws {
        try scratch.write("a.png", Images.png(4, 3))
        let line = start + String(repeating: "h", count: 300_000) + ".jpg"
        try scratch.write("list.txt", Data("\(line)\na.png\n".utf8))
        for command in [["load", "--no-cache", "--trust-lists"], ["convert", "--format", "jpg", "-o", "out"]] {
            let run = try firn.run(command + ["@list.txt"], in: scratch)
            #expect(run.status == 1)
            #expect(run.errorLines.count == 1 && run.errors.utf8.count < 2_000, "\(run.errors.prefix(4_000))")
            #expect(run.errors.hasPrefix("firn: \(start)"), "\(run.errors.prefix(400))")
            #expect(run.lines.contains { $0.hasPrefix("a.png") })
        }
        let json = try firn.run(["load", "--no-cache", "--trust-lists", "--json", "@list.txt"], in: scratch)
        let message = try #require(json.lines.first?.split(separator: #""message":"#).last)
        #expect(message.utf8.count < 1_500)
    }

    @Test func `A transfer fails after the time of --timeout`() throws {
        let server = try ScriptedServer()
        server.respond(to: "/x", with: .steps([.stall], framing: .statedLength(10)))
        let run = try firn.run(["load", server.url("/x"), "--no-cache", "--timeout", "0.3"], in: scratch)
        #expect(run.status == 1)
        #expect(run.errors.contains("not finished within 0.3 seconds"), "\(run.errors)")
        #expect(server.requests.count == 1)
        for wrong in ["0", "-1", "x", "1d", "inf", "nan"] {
            #expect(try firn.run(["load", "x", "--timeout=\(wrong)"], in: scratch).status == 2, "\(wrong)")
        }
    }
}
