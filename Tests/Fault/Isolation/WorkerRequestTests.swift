import CFirnCodecs
import FirnImage
import FirnSystem
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnCodecs

@Suite("Requests to a worker", .serialized)
struct WorkerRequestTests {
    /// The codecs whose workers get random requests: one of each kind of confinement, and one that is kept.
    private static let codecs = [FIRN_CODEC_JPEG, FIRN_CODEC_TIFF, FIRN_CODEC_HEIC, FIRN_CODEC_SVG].map(\.rawValue)

    /// Numbers that are at an edge of something.
    private static let edges: [UInt64] = [
        0, 1, 2, 7, 63, 64, 65, 4096, 1 << 16, 1 << 18, (1 << 18) + 1, 1 << 20, 1 << 31, 1 << 32, .max / 2, .max,
    ]

    @Test(arguments: codecs)
    func `random requests get a reply or end the worker, and never crash it`(codec: UInt32) throws {
        let codec = firn_codec(rawValue: codec)
        let path = try #require(WorkerProgram.path(IsolatedImages.real))
        let service = DecoderService.service(of: path)
        let policy = WorkerPolicy(codec, IsolatedImages.real, ImageLimits())
        var generator = SeededGenerator(seed: 0x5EED + UInt64(codec.rawValue))
        var replies = 0
        for _ in 0..<60 {
            let worker = try service.worker(policy)
            var end: WorkerEnd?
            // The first request brings the arena, without which nothing is done.
            for number in 0..<25 where end == nil {
                do throws(WorkerEnd) {
                    try exchange(worker, codec, isFirst: number == 0, &generator)
                    replies += 1
                } catch {
                    end = error
                }
            }
            // Limits of CPU time, memory and calls may end it; its own code must not.
            for signal in [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE] { #expect(end != .signal(signal)) }
            if end == nil { worker.closeImage() }
        }
        #expect(replies > 60)
    }

    private func exchange(
        _ worker: WorkerConnection, _ codec: firn_codec, isFirst: Bool, _ generator: inout SeededGenerator
    ) throws(WorkerEnd) {
        var request = firn_worker_request()
        request.call = isFirst ? FIRN_CALL_OPEN.rawValue : UInt32.random(in: 0...16, using: &generator)
        request.flags = UInt32.random(in: 0...1023, using: &generator)
        request.codec = isFirst ? codec.rawValue : UInt32.random(in: 0...9, using: &generator)
        request.limits = firn_limits(ImageLimits())
        func number() -> UInt64 {
            Bool.random(using: &generator)
                ? WorkerRequestTests.edges.randomElement(using: &generator) ?? 0
                : UInt64.random(in: 0...100_000, using: &generator)
        }
        request.fed = UInt32(truncatingIfNeeded: number())
        request.stride = number()
        request.first = number()
        request.most = number()
        request.colors = firn_worker_colors(
            model: UInt32.random(in: 0...3, using: &generator), from: UInt32.random(in: 0...6, using: &generator),
            to: UInt32.random(in: 0...6, using: &generator), relative: UInt32.random(in: 0...2, using: &generator),
            source: number())
        request.options.width = UInt32(truncatingIfNeeded: number())
        request.options.height = UInt32(truncatingIfNeeded: number())
        request.options.frame = UInt32(truncatingIfNeeded: number())
        request.options.layout = firn_layout(rawValue: UInt32.random(in: 0...5, using: &generator))
        request.options.area = firn_area(
            x: UInt32(truncatingIfNeeded: number()), y: UInt32(truncatingIfNeeded: number()),
            width: UInt32(truncatingIfNeeded: number()), height: UInt32(truncatingIfNeeded: number()))
        // Lengths of memory are true, as the program's own always are: a mapping beyond its memory is a fault that no
        // check of the worker could find.
        let memory = SharedMemory(length: isFirst ? FIRN_ARENA_LENGTH : Int.random(in: 1...1 << 17, using: &generator))
        let input = SharedMemory(length: 4096)
        guard let memory, let input else { throw .unavailable("no memory") }
        for offset in 0..<4096 {
            (memory.base + offset % memory.length).storeBytes(
                of: UInt8.random(in: 0...255, using: &generator), as: UInt8.self)
        }
        var descriptors: [Int32] = []
        if request.flags & UInt32(FIRN_REQUEST_HAS_MEMORY) != 0 || isFirst {
            request.flags |= UInt32(FIRN_REQUEST_HAS_MEMORY)
            request.surface = UInt64(memory.length)
            descriptors.append(memory.descriptor)
        }
        if request.flags & UInt32(FIRN_REQUEST_HAS_INPUT) != 0 {
            request.input = UInt64(input.length)
            descriptors.append(input.descriptor)
        }
        // The arena has one length; as a surface of a track it stays mapped, too.
        let bringsArena = [
            FIRN_CALL_UNITS, FIRN_CALL_OPEN, FIRN_CALL_CANVAS, FIRN_CALL_COLORS, FIRN_CALL_UNPACK,
        ].contains { $0.rawValue == request.call }
        if bringsArena, !isFirst {
            request.flags &= ~UInt32(FIRN_REQUEST_HAS_MEMORY)
            descriptors = request.flags & UInt32(FIRN_REQUEST_HAS_INPUT) != 0 ? [input.descriptor] : []
        }
        // A worker that closes its image sends no reply.
        if request.call == FIRN_CALL_CLOSE.rawValue { request.call = FIRN_CALL_HEADER.rawValue }
        request.memory = 256 << 20
        _ = try worker.call(request, descriptors, DecodingWatch())
    }
}
