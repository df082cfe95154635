import FirnSystem
import FirnTesting
import FoundationEssentials
import Testing

/// Tests `firn load` over HTTP: caches, failures of the server and the connection.
@Suite(.timeLimit(.minutes(5))) final class LoadNetworkTests: ServedCommandSuite {
    @Test func `A second load comes from the disk, and entries can be listed, verified and removed`() throws {
        server.respond(to: "/a.png", with: .body(try Images.png(12, 9)))
        let arguments = ["load", server.url("/a.png"), "--cache", "cache", "--json"]
        let first = try firn.run(arguments, in: scratch)
        #expect(first.status == 0)
        #expect(first.lines.first?.contains(#""width":12,"height":9,"from":"network","#) == true)
        let second = try firn.run(arguments, in: scratch)
        #expect(second.lines.first?.contains(#""from":"disk","#) == true)
        #expect(second.lines.last?.contains(#""diskHits":1,"#) == true)
        #expect(server.requests.count == 1)

        let statistics = try firn.run(["cache", "stats", "cache", "--json"], in: scratch)
        #expect(statistics.output.hasPrefix(#"{"folder":"cache","entries":1,"#))
        #expect(statistics.output.contains(#""hits":1,"misses":1,"stores":1,"evictions":0,"#))
        #expect(statistics.output.contains(#""hosts":[{"host":"127.0.0.1","entries":1,"#))
        let text = try firn.run(["cache", "stats", "cache"], in: scratch)
        #expect(text.lines.count == 5 && text.output.contains("hits: 1 of 2 lookups"))
        for filter in [["--host", "example.org"], ["--older-than", "1h"], ["--unused-for", "2d"]] {
            let cleared = try firn.run(["cache", "clear", "cache"] + filter, in: scratch)
            #expect(cleared.status == 0 && cleared.lines == ["cache: 0 entries removed"])
        }
        #expect(try firn.run(["cache", "clear", "cache", "--older-than", "x"], in: scratch).status != 0)
        #expect(try firn.run(["cache", "verify", "cache"], in: scratch).lines == ["cache: 1 entry, 0 problems"])
        let entry = try #require(scratch.files(below: "cache").first { $0.hasSuffix(".firn") })
        try scratch.write("cache/\(entry)", scratch.data("cache/\(entry)").dropLast())
        let damaged = try firn.run(["cache", "verify", "cache", "--remove"], in: scratch)
        #expect(damaged.status == 1)
        #expect(damaged.lines.count == 2)
        #expect(damaged.lines.first?.contains(entry) == true)
        server.respond(to: "/b.png", with: .body(try Images.png(12, 9)))
        #expect(try firn.run(["load", server.url("/b.png"), "--cache", "cache"], in: scratch).status == 0)
        let host = try firn.run(["cache", "clear", "cache", "--host", "127.0.0.1", "--older-than", "0s"], in: scratch)
        #expect(host.lines == ["cache: 1 entry removed"])
        #expect(try firn.run(["cache", "clear", "cache"], in: scratch).status == 0)
        #expect(!scratch.files(below: "cache").contains { $0.hasSuffix(".firn") })
    }

    @Test func `Header fields go to named addresses, and not to those of lists`() throws {
        for name in ["a", "b"] { server.respond(to: "/\(name).png", with: .body(try Images.png(12, 9))) }
        try scratch.write("list.txt", Data(server.url("/b.png").utf8))
        let words = ["-H", "Authorization: Bearer 1", "--header", "X-Size:small", "--no-cache", "--trust-lists"]
        let run = try firn.run(["load", server.url("/a.png"), "@list.txt"] + words, in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        let sent = Dictionary(server.requests.calls.map { ($0.path, $0.headers) }) { first, _ in first }
        #expect(sent["/a.png"]?["Authorization"] == "Bearer 1" && sent["/a.png"]?["X-Size"] == "small")
        #expect(sent["/b.png"] != nil && sent["/b.png"]?["Authorization"] == nil)
        let wrong = try firn.run(["load", server.url("/a.png"), "-H", "no header"], in: scratch)
        #expect(wrong.status == 2)
    }

    @Test func `White space around an address is ignored, and a file that looks like an address is a file`() throws {
        server.respond(to: "/a%5E.png?^", with: .body(try Images.png(12, 9)))
        let web = try firn.run(["load", " \t\(server.url("/a^.png?^"))\n", "--no-cache"], in: scratch)
        #expect(web.status == 0, "\(web.errors)")
        for name in ["data:x.png", "file:x.png", "data:image/png;base64,x", "http:x.png", " data:x.png "] {
            try scratch.write(name, Images.png(12, 9))
            let run = try firn.run(["info", "--json", name], in: scratch)
            #expect(run.status == 0 && run.output.contains(#""width":12,"#), "\(name): \(run.errors)")
        }
        let root = "file://\(scratch.path("data:x.png"))"
        #expect(try firn.run(["info", "\n \(root) "], in: scratch).status == 0)
        let inline = "data:image/png;base64,\(try Images.png(12, 9).base64EncodedString())"
        #expect(try firn.run(["load", " \(inline) ", "--no-cache"], in: scratch).status == 0)
    }

    @Test func `Requests use the proxy of a variable, and fail if it cannot be read`() throws {
        server.respond(to: "http://images.example/a.png", with: .body(try Images.png(12, 9)))
        let words = ["load", "http://images.example/a.png", "--no-cache"]
        let run = try firn.run(words, in: scratch, shell: "export http_proxy=' 127.0.0.1:\(server.port) '")
        #expect(run.status == 0, "\(run.errors)")
        let proxy = "export HTTP_PROXY='http://me:p#ss@127.0.0.1:\(server.port)'; unset http_proxy"
        let unread = try firn.run(words, in: scratch, shell: proxy)
        #expect(unread.status == 1 && unread.errors.contains("HTTP_PROXY"), "\(unread.errors)")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["stats", "verify", "clear"])
    func `A missing cache folder is an error with its name`(command: String) throws {
        let run = try firn.run(["cache", command, "nowhere"], in: scratch)
        #expect(run.status == 1)
        #expect(run.errorLines == ["firn: nowhere: cannot stat: No such file or directory"])
    }

    @Test func `A cache folder that cannot be written is reported once, and the images are still loaded`() throws {
        server.respond(to: "/a.png", with: .body(try Images.png(12, 9)))
        server.respond(to: "/b.png", with: .body(try Images.png(12, 9)))
        try scratch.write("file", Data())
        let run = try firn.run(
            ["load", server.url("/a.png"), server.url("/b.png"), "--cache", "file/cache", "--out", "o"], in: scratch)
        #expect(run.status == 0)
        #expect(run.errorLines.count == 1)
        #expect(run.errors.hasPrefix("firn: cache: "))
        #expect(run.errors.contains("file/cache"))
        #expect(run.errors.contains("Not a directory"))
        #expect(scratch.files(below: "o") == ["a.png", "b.png"])
    }

    @Test func `A refused connection, a 404, a page instead of an image and a short body are reported by name`() throws
    {
        let closed = try LoopbackSocket(isListening: false)
        let image = try Images.jpeg(64, 64)
        server.respond(to: "/page.jpg", with: .body(Images.page))
        server.respond(to: "/cut.jpg", with: .steps([.bytes(image.prefix(300)), .cut], framing: .statedLength(9000)))
        server.respond(to: "/good.jpg", with: .body(image))
        let refused = "http://127.0.0.1:\(closed.port)/x.png"
        let expected = [
            (refused, "refused"), (server.url("/none.png"), "404"), (server.url("/page.jpg"), "not an image"),
            (server.url("/cut.jpg"), ""),
        ]
        let run = try firn.run(
            ["load"] + expected.map(\.0) + [server.url("/good.jpg"), "--cache", "cache", "--out", "o"], in: scratch)
        #expect(run.status == 1)
        #expect(run.errorLines.count == expected.count)
        for (address, reason) in expected {
            #expect(run.errorLines.contains { $0.hasPrefix("firn: \(address): ") && $0.contains(reason) })
        }
        #expect(run.lines.last?.hasPrefix("1 loaded, 4 failed, ") == true)
        #expect(scratch.files(below: "o") == ["good.jpg"])
        #expect(!scratch.files().contains { $0.hasSuffix(".part") })
    }

    @Test func `An address that a batch has twice is loaded once`() throws {
        let gate = Gate()
        gate.open()
        server.respond(to: "/a.png", with: .steps([.hold(gate), .bytes(try Images.png(30, 30))]))
        let address = server.url("/a.png")
        let run = try firn.run(["load", address, address, "--cache", "cache", "--out", "o", "--json"], in: scratch)
        #expect(run.status == 0)
        #expect(server.requests.count == 1)
        #expect(scratch.files(below: "o") == ["a-2.png", "a.png"])
    }

    @Test func `Addresses of a list lead to the public Internet only, unless the list is trusted`() throws {
        server.respond(to: "/a.png", with: .body(try Images.png(12, 9)))
        let address = server.url("/a.png")
        try scratch.write("list.txt", Data("\(address)\nhttp://0x7f.1:\(server.port)/a.png\nhttp://[::1]/a.png\n".utf8))
        let guarded = try firn.run(["load", "@list.txt", "--no-cache"], in: scratch)
        #expect(guarded.status == 1 && guarded.errorLines.count == 3)
        #expect(guarded.errorLines.allSatisfy { $0.contains("is not allowed by the network policy; --trust-lists") })
        #expect(server.connections.count == 0)
        let named = try firn.run(["load", address, "--no-cache"], in: scratch)
        #expect(named.status == 0)
        let trusted = try firn.run(["load", "@list.txt", "--no-cache", "--trust-lists", "--json"], in: scratch)
        #expect(trusted.lines.filter { $0.contains(#""width":12,"height":9,"from":"network","#) }.count == 2)
    }

    @Test(arguments: [
        ("pixels=100", "maximumPixels"), ("bytes=50", "maximumBytes"), ("result=1K", "maximumResultBytes"),
        ("memory=1K", "maximumWorkingBytes"),
    ])
    func `Limits of the command line apply to addresses and files, and the message names the limit`(
        option: String, name: String
    ) throws {
        let image = try Images.png(120, 90)
        server.respond(to: "/a.png", with: .body(image))
        try scratch.write("b.png", image)
        for source in [server.url("/a.png"), "b.png"] {
            let run = try firn.run(
                ["load", source, "--no-cache", "--size", "100", "-o", "o", "--limits", option], in: scratch)
            #expect(run.status == 1 && run.errorLines.count == 1)
            #expect(run.errorLines.first?.contains("ImageLimits.\(name)") == true, "\(run.errorLines)")
        }
        let commands = [
            ["convert", "b.png", "--format", "webp"], ["decode", "b.png"], ["decode", "b.png", "--size", "50%"],
            ["placeholder", "b.png"],
        ]
        for command in commands {
            let run = try firn.run(command + ["--limits", option], in: scratch)
            #expect(run.status == 1 && run.output.isEmpty, "\(command)")
            #expect(run.errorLines.first?.contains("ImageLimits.\(name)") == true, "\(command) \(run.errorLines)")
        }
    }

    @Test(arguments: ["", "pixels", "pixels=", "pixels=0", "size=3", "time=-1", "bytes=9999999999G"])
    func `Invalid limits are refused`(option: String) throws {
        let run = try firn.run(["load", "x.png", "--limits", option], in: scratch)
        #expect(run.status == 2 || run.status == 64)
    }

    @Test func `--verbose and --json report the times of a transfer`() throws {
        server.respond(to: "/a.png", with: .body(try Images.png(12, 9)))
        let address = server.url("/a.png")
        let words = try firn.run(["load", address, "--no-cache", "--verbose"], in: scratch)
        #expect(words.lines.contains { $0.hasPrefix("  HTTP/1.1, connection ") && $0.hasSuffix(", from 127.0.0.1") })
        let json = try firn.run(["load", address, "--no-cache", "--json"], in: scratch)
        #expect(json.lines.first?.contains(#""transfer":{"connectMs":"#) == true)
        #expect(json.lines.first?.contains(#""reused":false,"protocol":"HTTP/1.1","address":"127.0.0.1","#) == true)
    }

    @Test func `An interrupted command ends by that signal and leaves no part of a file`() throws {
        server.respond(to: "/held.png", with: .steps([.stall], framing: .statedLength(1_000)))
        server.respond(to: "/good.png", with: .body(try Images.png(30, 30)))
        // The server never responds, so the signal arrives while the command waits, however long its start takes.
        let run = try firn.run(
            ["load", server.url("/good.png"), server.url("/held.png"), "--no-cache", "--out", "o"], in: scratch,
            limit: "--preserve-status -s INT -k 20 1")
        #expect(run.status == 128 + 2, "\(run)")
        #expect(scratch.files(below: "o").allSatisfy { $0 == "good.png" })
    }

    @Test func `A program that is started during a load inherits no descriptor, whatever libcurl opens`() async throws {
        server.respond(to: "/held.png", with: .steps([.stall], framing: .statedLength(1_000)))
        let process = try firn.start(["load", server.url("/held.png"), "--no-cache"], in: scratch)
        defer {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        _ = await server.requests.wait { $0.calls.count == 1 }
        let own = LoadNetworkTests.descriptors(of: process)
        #expect(own.count > 3)
        #expect(own.filter { $0.flags & O_CLOEXEC == 0 }.map(\.target) == [])
    }

    /// Returns what the descriptors of a process lead to, and their flags.
    private static func descriptors(of process: pid_t) -> [(target: String, flags: Int32)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fdinfo")) ?? []
        return names.compactMap { name in
            guard let text = try? String(contentsOf: URL(filePath: "/proc/\(process)/fdinfo/\(name)"), encoding: .utf8),
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(name)"),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix("flags:") }),
                let flags = Int32(line.dropFirst(6).drop { $0.isWhitespace }, radix: 8), Int(name) ?? 0 > 2
            else { return nil }
            return (target, flags)
        }
    }
}
