import FirnSystem
import FirnTesting
import FoundationEssentials
import Testing

/// Tests how programs start: with closed descriptors, without /proc, and as the first process of a container.
@Suite(.timeLimit(.minutes(5))) final class ProgramStartTests: CommandSuite {
    @Test func `a program whose standard descriptors are closed writes into no file of its own`() throws {
        try scratch.write("a.png", Images.png(40, 30))
        let words = "thumbnail a.png -s 20 -o t.png <&- >&- 2>&-"
        let run = try BuiltCommand(at: "/bin/sh").run(["-c", "\"$0\" \(words)", firn.path], in: scratch)
        #expect(run.status == 0, "\(run)")
        #expect(try scratch.data("t.png").starts(with: [0x89] + Array("PNG\r\n".utf8)))
    }

    /// True if this process may make namespaces, as root or by the system's setting.
    private static let mayUnshare = {
        let run = try? BuiltCommand(at: "/bin/sh").run(["-c", "unshare -Urpfm true"], in: Scratch())
        return run?.status == 0
    }()

    @Test(.enabled(if: mayUnshare))
    func `without /proc a program fails, and names the cause`() throws {
        let run = try BuiltCommand(at: "/bin/sh").run(
            ["-c", "unshare -Urm sh -c 'mount -t tmpfs none /proc && exec \"$0\" info a.png' \"$0\"", firn.path],
            in: scratch)
        #expect(run.status == 1, "\(run)")
        #expect(run.errorLines == ["firn: /proc is not mounted; the threads of Swift need it"], "\(run)")
    }

    @Test(.enabled(if: mayUnshare), arguments: [SIGTERM, SIGINT])
    func `the first process ends by a signal, with its status`(_ number: Int32) throws {
        let server = try ScriptedServer()
        server.respond(to: "/a.png", with: .steps([.stall], framing: .statedLength(9)))
        // The program is the child of the first process, which the kernel ends by no signal that it does not handle.
        let script = """
            env --default-signal=INT unshare -Urpf "$0" load "$1" --no-cache & shell=$!
            children() { cat "/proc/$1/task/$1/children"; }
            until first=$(children $shell) && [ -n "$first" ] && [ -n "$(children ${first% })" ]; do sleep 0.1; done
            kill -\(number) $first
            wait $shell
            """
        let run = try BuiltCommand(at: "/bin/sh").run(["-c", script, firn.path, server.url("/a.png")], in: scratch)
        #expect(run.status == 128 + number, "\(run)")
    }
}
