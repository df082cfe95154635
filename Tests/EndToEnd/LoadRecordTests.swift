import FirnCodecs
import FirnImage
import FirnTesting
import Foundation
import FirnSystem
import TestSupport
import Testing

/// Tests the records that `firn load` writes about a run.
@Suite(.timeLimit(.minutes(5))) final class LoadRecordTests: ServedCommandSuite {
    private func load() throws -> BuiltCommand.Outcome {
        var sources: [String] = []
        for number in 0..<6 {
            server.respond(to: "/\(number).png", with: .body(try Images.png(200 + number, 100)))
            sources.append(server.url("/\(number).png"))
        }
        sources.append(server.url("/none.png"))
        let files = ["--trace", "t.json", "--metrics", "m.prom"]
        return try firn.run(["load"] + sources + ["--no-cache"] + files, in: scratch)
    }

    @Test func `A trace and metrics contain every source`() throws {
        #expect(try load().status == 1)
        struct Trace: Decodable {
            struct Entry: Decodable {
                let name: String
                let ph: String
            }
            let traceEvents: [Entry]
        }
        let trace = try JSONDecoder().decode(Trace.self, from: try scratch.data("t.json"))
        #expect(trace.traceEvents.filter { $0.ph == "b" }.count == 7)
        #expect(trace.traceEvents.filter { $0.ph == "X" && $0.name == "decode" }.count == 6)
        #expect(trace.traceEvents.filter { $0.ph == "f" }.count == 7)
        let counts = try scratch.text(scratch.path("m.prom"))
        #expect(counts.contains("firn_requests_total{end=\"loaded\"} 6\n"))
        #expect(counts.contains("firn_requests_total{end=\"failed\"} 1\n"))
    }

    @Test func `A record that cannot be written is an error with its name, and the images are still loaded`() throws {
        server.respond(to: "/a.png", with: .body(try Images.png(8, 8)))
        let run = try firn.run(
            ["load", server.url("/a.png"), "--no-cache", "--trace", "no/t.json", "--out", "o"], in: scratch)
        #expect(run.status == 1)
        #expect(run.errorLines == ["firn: no/t.json: cannot write: No such file or directory"])
        #expect(scratch.files(below: "o") == ["a.png"])
    }

    @Test func `SIGUSR1 prints the state, and loading continues`() throws {
        let slow = ServedFile(Images.bitmapFile(width: 400, height: 500), gates: [400_000: Gate()])
        server.respond(to: "/slow.bmp", with: .file(slow))
        let watch = try FolderWatch(scratch.root)
        // Runs on its own thread, because concurrent tests share a few threads.
        let outside = Thread { [scratch] in
            // In the middle of the body, the command already listens for the signal.
            guard watch.wait(until: { scratch.hasPartialBody(below: "cache") }),
                let process = try? pid_t(scratch.text("pid").filter(\.isNumber))
            else { return }
            kill(process, SIGUSR1)
            _ = watch.wait { scratch.files().contains { (try? scratch.text($0).contains("so far:")) == true } }
            kill(process, SIGINT)
        }
        outside.start()
        // `timeout` forwards both signals.
        let run = try firn.run(
            ["load", server.url("/slow.bmp"), "--cache", "cache"], in: scratch, shell: "echo $$ >pid",
            limit: "--preserve-status -s USR1 -k 90 100")
        #expect(run.errors.contains("transfer: 1 running, 0 queued"))
        #expect(run.errors.contains("/slow.bmp"))
        #expect(run.status == 128 + SIGINT)
    }
}
