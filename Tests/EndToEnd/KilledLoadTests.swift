import FirnData
import FirnTesting
import FoundationEssentials
import Glibc
import Testing

/// `firn load`, killed in the middle of a download and started again.
@Suite(.timeLimit(.minutes(3))) struct KilledLoadTests {
    @Test func `A download goes on where a killed process left it, and the picture is the same byte for byte`() throws {
        let scratch = try Scratch()
        let server = try ScriptedServer()
        let firn = BuiltCommand("firn")
        let picture = bitmapFile(width: 400, height: 500)
        let half = ServedFile(picture, gates: [400_000: Gate()])
        server.answer("/a.bmp", with: [.file(half), .file(ServedFile(picture))])
        let arguments = ["load", server.url("/a.bmp"), "--cache", "cache"]

        let process = try firn.start(arguments, in: scratch)
        let end = ContinuousClock.now + .seconds(60)
        func isKept() -> Bool {
            scratch.files(below: "cache").contains { $0.hasPrefix("partial/") && $0.hasSuffix(".firn") }
        }
        while !isKept(), ContinuousClock.now < end { usleep(2_000) }
        #expect(isKept())
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        #expect(status & 0x7F == SIGKILL)

        let run = try firn.run(arguments, in: scratch)
        #expect(run.status == 0)
        // The entry's file ends with the body.
        let kept = scratch.files(below: "cache").filter { $0.hasSuffix(".firn") && !$0.hasPrefix("partial/") }
        let entry = try #require(kept.first)
        #expect(kept.count == 1)
        #expect(try Data(scratch.data("cache/\(entry)").suffix(picture.count)) == picture)
        let requests = server.record.requests
        // Once more, without anything that was kept: what is written of the whole has to be the same.
        server.answer("/b.bmp", with: .body(picture))
        #expect(try firn.run(["load", server.url("/b.bmp"), "--no-cache", "--out", "o"], in: scratch).status == 0)
        #expect(try scratch.data("o/a.png") == scratch.data("o/b.png"))
        #expect(requests.count == 2)
        #expect(requests.first?.headers["Range"] == nil)
        #expect(requests.last?.headers["Range"]?.hasPrefix("bytes=") == true)
        #expect(requests.last?.headers["If-Range"] == "\"v1\"")
        #expect(!scratch.files(below: "cache").contains { $0.hasPrefix("partial/") && $0.hasSuffix(".firn") })
    }

    /// An uncompressed BMP of 24 bits, as long as a photograph.
    private func bitmapFile(width: Int32, height: Int32) -> Data {
        var data = Data("BM".utf8)
        func add(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        let bytes = width * 3 * height
        for number in [54 + bytes, 0, 54, 40, width, height] { add(number) }
        for number in [UInt16(1), 24] { add(number) }
        for number in [0, bytes, 2_835, 2_835, 0, 0] as [Int32] { add(number) }
        for place in 0..<Int(bytes) { data.append(UInt8(truncatingIfNeeded: place &* 37 ^ place >> 9)) }
        return data
    }
}
