import CFirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

@testable import FirnCodecs

@Suite("The confinement of decoders", .serialized)
struct ConfinementTests {
    @Test func `a confined process can neither open, connect, start a program nor read its parent`() async {
        #expect(await BuiltProgram("firn-decoder").run(["--check"]) == 0)
    }

    @Test(arguments: ["", "-basic", "-avif", "-heic", "-jxl", "-svg", "-tiff"])
    func `a program that decodes loads no runtime of Swift, which would make it start later`(_ suffix: String) throws {
        let program = try Data(contentsOf: URL(filePath: BuiltProgram.folder + "/firn-decoder\(suffix)"))
        #expect(program.firstRange(of: Data("libjpeg.so".utf8)) != nil)
        #expect(program.firstRange(of: Data("libswiftCore.so".utf8)) == nil)
    }

    @Test func `a worker has no descriptor but its own`() throws {
        let program = try NamedDecoder("firn-listed")
        defer { program.remove() }
        let path = try #require(WorkerProgram.path(program.isolation))
        let policy = WorkerPolicy(FIRN_CODEC_JPEG, program.isolation, ImageLimits())
        let worker = try DecoderService.service(of: path).worker(policy)
        defer { worker.closeImage() }
        var request = firn_worker_request()
        request.call = FIRN_CALL_HEADER.rawValue
        // Any reply: a worker is confined before it replies.
        _ = try worker.call(request, [], DecodingWatch())
        let process = try #require(program.workers().first)
        let names = Processes.descriptors(of: process)
        // Only the superuser may look, because the process is not dumpable.
        #expect(getuid() != 0 || names.count == 4)
        // A run of all tests has a pipe for crashes in place of standard error.
        let log = getenv("FIRN_DECODER_LOG").map { String(cString: $0) }
        #expect(names.allSatisfy { $0 == "/dev/null" || $0 == log || $0.hasPrefix("socket:") })
    }
}
