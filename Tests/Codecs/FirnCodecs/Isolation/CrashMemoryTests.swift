import FirnImage
import Testing

@testable import FirnCodecs

@Suite("Memory of files that end decoders")
struct CrashMemoryTests {
    private let file = CrashMemory.Source(format: .svg, length: 10, digest: "a")
    private let error = ImageError(.data, at: .decoding, "the decoder crashed")
    private let start = ContinuousClock.now

    private func image(_ frame: UInt32 = 0, width: UInt32 = 0, area: [UInt32] = [0, 0, 0, 0]) -> CrashMemory.Call {
        .image([frame, 0, width, 0] + area)
    }

    private func limits(seconds: Int? = 60, bytes: Int = 1 << 30) -> ImageLimits {
        var limits = ImageLimits()
        limits.maximumDecodingTime = seconds.map { .seconds($0) }
        limits.maximumWorkingBytes = bytes
        return limits
    }

    /// A memory of two ends of one call.
    private func memory(_ evidence: CrashMemory.Evidence, _ call: CrashMemory.Call) -> CrashMemory {
        var memory = CrashMemory()
        for _ in 0..<2 { memory.note(evidence, error, of: file, during: call, at: start) }
        return memory
    }

    @Test func `a file is refused after its second crash`() {
        var memory = CrashMemory()
        memory.note(.crash, error, of: file, during: image(), at: start)
        #expect(memory.refusal(of: file, to: image(), limits(), at: start) == nil)
        memory.note(.crash, error, of: file, during: image(), at: start)
        #expect(memory.refusal(of: file, to: image(), limits(), at: start)?.fault == .data)
        let other = CrashMemory.Source(format: .svg, length: 10, digest: "b")
        #expect(memory.refusal(of: other, to: image(), limits(), at: start) == nil)
    }

    @Test func `crashes in regions refuse regions, and neither the whole image nor its header`() {
        let region = image(area: [0, 0, 1, 1])
        var memory = memory(.crash, region)
        #expect(memory.refusal(of: file, to: image(area: [5, 5, 20, 20]), limits(), at: start) != nil)
        for call in [.header, image(), image(1, width: 30), .track] {
            #expect(memory.refusal(of: file, to: call, limits(), at: start) == nil)
        }
    }

    @Test func `a decode that exceeded its time limit is refused only to the same call with no larger limit`() {
        var memory = memory(.time(.seconds(10)), image(width: 100))
        for seconds in [1, 10] {
            #expect(memory.refusal(of: file, to: image(width: 100), limits(seconds: seconds), at: start) != nil)
        }
        for seconds in [11, nil] {
            #expect(memory.refusal(of: file, to: image(width: 100), limits(seconds: seconds), at: start) == nil)
        }
        for call in [image(), image(width: 101), image(1, width: 100), image(width: 100, area: [0, 0, 1, 1]), .header] {
            #expect(memory.refusal(of: file, to: call, limits(seconds: 1), at: start) == nil)
        }
    }

    @Test func `a decode that exceeded its memory limit is refused unless the limit is larger`() {
        var memory = memory(.memory(1 << 20), image())
        #expect(memory.refusal(of: file, to: image(), limits(bytes: 1 << 20), at: start) != nil)
        #expect(memory.refusal(of: file, to: image(), limits(bytes: 2 << 20), at: start) == nil)
        #expect(memory.refusal(of: file, to: image(1), limits(bytes: 1 << 20), at: start) == nil)
    }

    @Test func `an end with a larger limit begins a new count`() {
        var memory = memory(.time(.seconds(1)), image())
        memory.note(.time(.seconds(9)), error, of: file, during: image(), at: start)
        #expect(memory.refusal(of: file, to: image(), limits(seconds: 9), at: start) == nil)
        memory.note(.time(.seconds(9)), error, of: file, during: image(), at: start)
        #expect(memory.refusal(of: file, to: image(), limits(seconds: 9), at: start) != nil)
    }

    @Test
    func `replies that make no sense, cancelled calls and processes killed from outside prove nothing about a file`() {
        for end in [WorkerEnd.nonsense, .cancelled, .signal(9), .unconfined(""), .unavailable("")] {
            #expect(end.evidence(limits()) == nil)
        }
        #expect(WorkerEnd.late.evidence(limits(seconds: 5)) == .time(.seconds(5)))
        #expect(WorkerEnd.starved.evidence(limits(bytes: 7)) == .memory(7))
        for end in [WorkerEnd.gone, .signal(11), .signal(31)] { #expect(end.evidence(limits()) == .crash) }
    }

    @Test func `a file is forgotten after a while`() {
        var memory = memory(.crash, image())
        #expect(memory.refusal(of: file, to: image(), limits(), at: start + CrashMemory.time) == nil)
        #expect(memory.isEmpty)
    }

    @Test func `a thousand files leave the latest ones`() {
        var memory = CrashMemory()
        func source(_ number: Int) -> CrashMemory.Source {
            CrashMemory.Source(format: .svg, length: number, digest: "")
        }
        for number in 0..<1000 {
            for _ in 0..<2 { memory.note(.crash, error, of: source(number), during: .header, at: start) }
        }
        #expect(memory.refusal(of: source(999), to: .header, limits(), at: start) != nil)
        #expect(memory.refusal(of: source(0), to: .header, limits(), at: start) == nil)
    }
}
