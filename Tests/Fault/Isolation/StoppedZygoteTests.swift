import CFirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

@testable import FirnCodecs

@Suite("Decoder programs that do not respond", .serialized)
struct StoppedZygoteTests {
    private func limits(_ time: Duration) -> ImageLimits {
        var limits = ImageLimits()
        limits.maximumDecodingTime = time
        return limits
    }

    @Test func `a stopped zygote is replaced within the time limit of the waiting decode`() throws {
        let program = try NamedDecoder("firn-stopped")
        defer { program.remove() }
        #expect(IsolatedImages.firstPixel(try IsolatedImages.decode(IsolatedImages.red, program.isolation)).count == 4)
        let zygote = try #require(program.zygotes().first)
        #expect(kill(zygote, SIGSTOP) == 0)
        let image = try IsolatedImages.decode(IsolatedImages.red, program.isolation, limits: limits(.seconds(8)))
        #expect(IsolatedImages.firstPixel(image) == [0, 0, 255, 255])
        // Nothing uses the old one, which is ended although it does not listen.
        #expect(!program.zygotes().contains(zygote))
    }

    @Test func `a stopped zygote does not keep a worker alive that has decoded its image`() throws {
        let program = try NamedDecoder("firn-frozen")
        defer { program.remove() }
        let service = DecoderService.service(of: try #require(program.isolation.decoderPath))
        let policy = WorkerPolicy(FIRN_CODEC_TIFF, program.isolation, ImageLimits())
        var worker: WorkerConnection? = try service.worker(policy)
        let process = try #require(program.workers().first)
        let zygote = try #require(program.zygotes().first)
        #expect(kill(zygote, SIGSTOP) == 0)
        #expect(worker?.end == nil)
        worker = nil
        #expect(Processes.settles { Processes.state(of: process) == "Z" || Processes.state(of: process) == nil })
        #expect(kill(zygote, SIGCONT) == 0)
    }

    @Test func `a program whose shared library is missing names the library`() throws {
        let missing = "libnone.so.1: cannot open shared object file: No such file or directory"
        let error = try failure(of: "echo 'x: error while loading shared libraries: \(missing)' >&2; exit 127")
        #expect(error.message.contains("cannot be run: \(missing)"))
    }

    @Test func `a program that ends or hangs at its start is not said to be of another build`() throws {
        let ended = try failure(of: "exit 1")
        #expect(ended.message.contains("ended when it was started") && ended.responseStatus == 503)
        let start = ContinuousClock.now
        let error = try failure(of: "exec sleep 1000", limits(.milliseconds(400)))
        #expect(error.fault == .limit && !error.message.contains("build"))
        // Not the fault of the image.
        #expect(error.responseStatus == 504)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    /// Decodes with a shell script in place of the program.
    private func failure(of script: String, _ limits: ImageLimits = ImageLimits()) throws -> ImageError {
        let path = FileManager.default.temporaryDirectory.path + "/firn-script-\(getpid())-\(script.utf8.count)"
        // A shell writes it: a child that another test forks meanwhile would keep this process's file open for writing,
        // and the system starts no such program ("Text file busy").
        #expect(system("cat > '\(path)' <<'END'\n#!/bin/sh\n\(script)\nEND\nchmod 755 '\(path)'") == 0)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var isolation = DecoderIsolation.all
        isolation.decoderPath = path
        return try #require(
            #expect(throws: ImageError.self) {
                try IsolatedImages.decode(IsolatedImages.red, isolation, limits: limits)
            })
    }
}
