import FirnData
import FirnTesting
import FoundationEssentials
import Testing

/// Tests a program that loads one image by the shared pipeline and ends as soon as it has it.
@Suite(.timeLimit(.minutes(5))) final class ShortProgramTests: ServedCommandSuite {
    private let program = BuiltCommand("firn-first-image")

    @Test(arguments: [96, 1_600] as [Int32])
    func `A program that ends with its first image leaves the response on disk`(side: Int32) throws {
        let image = Images.bitmapFile(width: side, height: side)
        server.respond(to: "/a.bmp", with: .body(image, headers: ["Cache-Control": "max-age=86400"]))
        let outputs = try (1...3).map { _ in
            let run = try program.run(
                [server.url("/a.bmp")], in: scratch, shell: "export XDG_CACHE_HOME=$PWD/cache")
            #expect(run.status == 0, "\(run.errors)")
            return run.output
        }
        #expect(outputs == ["source\n", "disk\n", "disk\n"])
        #expect(server.requests.calls.count == 1)
    }
}
