import FirnData
import FirnTesting
import FoundationEssentials
import FirnSystem
import TestSupport
import Testing

/// Tests programs that are killed during a download and started again.
@Suite(.timeLimit(.minutes(5))) struct KilledLoadTests {
    @Test func `A download resumes where a killed process left it, and the image is the same byte for byte`() throws {
        let scratch = try Scratch()
        let server = try ScriptedServer()
        let firn = BuiltCommand("firn")
        let image = Images.bitmapFile(width: 400, height: 500)
        let half = ServedFile(image, gates: [400_000: Gate()])
        server.respond(to: "/a.bmp", with: [.file(half), .file(ServedFile(image))])
        let arguments = ["load", server.url("/a.bmp"), "--cache", "cache"]

        let watch = try FolderWatch(scratch.root)
        let process = try firn.start(arguments, in: scratch)
        #expect(watch.wait { scratch.hasPartialBody(below: "cache") })
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        #expect(status & 0x7F == SIGKILL)

        let run = try firn.run(arguments, in: scratch)
        #expect(run.status == 0)
        // The body is the end of the entry's file.
        let kept = scratch.files(below: "cache").filter { $0.hasSuffix(".firn") && !$0.hasPrefix("partial/") }
        let entry = try #require(kept.first)
        #expect(kept.count == 1)
        #expect(try Data(scratch.data("cache/\(entry)").suffix(image.count)) == image)
        let requests = server.requests.calls
        #expect(requests.count == 2)
        #expect(requests.first?.headers["Range"] == nil)
        #expect(requests.last?.headers["Range"]?.hasPrefix("bytes=") == true)
        #expect(requests.last?.headers["If-Range"] == "\"v1\"")
        #expect(!scratch.hasPartialBody(below: "cache"))
    }

    @Test func `A download into a file resumes where a killed process left it`() throws {
        let scratch = try Scratch()
        let server = try ScriptedServer()
        let program = BuiltCommand("firn-first-image")
        let image = Images.bitmapFile(width: 400, height: 500)
        let half = ServedFile(image, gates: [400_000: Gate()])
        server.respond(to: "/a.bmp", with: [.file(half), .file(ServedFile(image))])
        let arguments = [server.url("/a.bmp"), scratch.path("a.bmp")]

        let watch = try FolderWatch(scratch.root)
        let process = try program.start(arguments, in: scratch)
        #expect(watch.wait { (try? scratch.data(".a.bmp.firn-part"))?.count == 400_000 })
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        #expect(status & 0x7F == SIGKILL)
        #expect(scratch.files() == [".a.bmp.firn-part", ".a.bmp.firn-resume"])

        let run = try program.run(arguments, in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try scratch.data("a.bmp") == image)
        #expect(scratch.files() == ["a.bmp"])
        #expect(server.requests.calls.map { $0.headers["Range"] } == [nil, "bytes=400000-"])
    }
}
