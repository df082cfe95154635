import CFirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

@testable import FirnCodecs

@Suite("Reuse of decoder processes", .serialized)
struct WorkerReuseTests {
    @Test func `an idle process serves no decode that may use more memory than the process`() throws {
        let program = try NamedDecoder("firn-reuse")
        defer { program.remove() }
        let service = DecoderService.service(of: try #require(program.isolation.decoderPath))
        var few = ImageLimits()
        few.maximumWorkingBytes = 1 << 20
        let small = WorkerPolicy(FIRN_CODEC_PNG, program.isolation, few)
        let large = WorkerPolicy(FIRN_CODEC_PNG, program.isolation, ImageLimits())
        let first = try service.worker(small)
        service.giveBack(first, small)
        let second = try service.worker(large)
        #expect(second !== first && second.maximumMemory > first.maximumMemory)
        #expect(try service.worker(small) === first)
    }

    @Test func `a process that is late to close an image does not touch the next one's bytes`() throws {
        let program = try NamedDecoder("firn-late")
        defer { program.remove() }
        let service = DecoderService.service(of: try #require(program.isolation.decoderPath))
        let worker = try service.worker(WorkerPolicy(FIRN_CODEC_PNG, program.isolation, ImageLimits()))
        let size = PixelSize(width: 8, height: 8)
        let image = try Bitmap(size: size, format: .rgb8) { pixels in
            for y in 0..<8 { pixels.row(y).initializeMemory(as: UInt8.self, repeating: 7, count: 24) }
        }
        let file = try #require(ImageEncoders.encoder(for: .png)).encode(image)
        file.withUnsafeBytes { worker.fillInbox($0) }
        #expect(try header(worker, file, isFirst: true).header.width == 8)
        let process = try #require(program.workers().first)
        #expect(kill(process, SIGSTOP) == 0)
        worker.closeImage()
        file.withUnsafeBytes { worker.fillInbox($0) }
        #expect(kill(process, SIGCONT) == 0)
        // It sleeps once it has closed the image.
        #expect(Processes.settles { Processes.state(of: process) == "S" })
        #expect(try header(worker, file, isFirst: false).header.width == 8)
        worker.closeImage()
    }

    @Test func `an idle process that the system ended serves no image, and the next one gets another`() throws {
        let decoder = try NamedDecoder("firn-idle")
        defer { decoder.remove() }
        let file = try PNGEncoder().encode(
            Bitmap(size: PixelSize(width: 8, height: 8), format: .rgb8) { pixels in
                for y in 0..<8 { pixels.row(y).initializeMemory(as: UInt8.self, repeating: 90, count: 24) }
            })
        for _ in 0..<10 {
            #expect(try IsolatedImages.decode(file, decoder.isolation).size.width == 8)
            for process in decoder.workers() { kill(process, SIGKILL) }
            #expect(Processes.settles { decoder.workers().isEmpty })
        }
    }

    @Test(arguments: [8, 300])
    func `images one after the other in one process have the pixels of their files`(side: Int) throws {
        let encoder = try #require(ImageEncoders.encoder(for: .png))
        for shade in UInt8(1)...100 {
            let size = PixelSize(width: side, height: side)
            let image = try Bitmap(size: size, format: .rgb8) { pixels in
                for y in 0..<side {
                    pixels.row(y).initializeMemory(as: UInt8.self, repeating: shade, count: 3 * side)
                }
            }
            let file = try encoder.encode(image)
            #expect(IsolatedImages.firstPixel(try IsolatedImages.decode(file)) == [shade, shade, shade, 255])
        }
    }

    private func header(
        _ worker: WorkerConnection, _ file: Data, isFirst: Bool
    ) throws(WorkerEnd) -> firn_worker_reply {
        var request = firn_worker_request()
        request.call = FIRN_CALL_OPEN.rawValue
        request.codec = FIRN_CODEC_PNG.rawValue
        request.flags = UInt32(FIRN_REQUEST_HAS_INPUT | FIRN_REQUEST_FEEDS_INPUT | FIRN_REQUEST_INPUT_IN_INBOX)
        if isFirst { request.flags |= UInt32(FIRN_REQUEST_HAS_MEMORY) }
        request.limits = firn_limits(ImageLimits())
        request.input = UInt64(file.count)
        return try worker.call(
            request, isFirst ? [worker.arena.descriptor] : [], DecodingWatch())
    }
}
