import FirnImage
import Testing

@testable import FirnCodecs

@Suite("Memory of files that end decoders")
struct CrashMemoryTests {
    private let file = CrashMemory.Source(format: .svg, length: 10, digest: "a")
    private let error = ImageDecodingError(.data, "the decoder crashed")
    private let start = ContinuousClock.now

    @Test("a file is refused after its second crash")
    func twice() {
        var memory = CrashMemory()
        memory.note(error, of: file, at: start)
        #expect(memory.refusal(of: file, at: start) == nil)
        memory.note(error, of: file, at: start)
        #expect(memory.refusal(of: file, at: start)?.fault == .data)
        #expect(memory.refusal(of: CrashMemory.Source(format: .svg, length: 10, digest: "b"), at: start) == nil)
    }

    @Test("a file is forgotten after a while")
    func forgotten() {
        var memory = CrashMemory()
        for _ in 0..<2 { memory.note(error, of: file, at: start) }
        #expect(memory.refusal(of: file, at: start + CrashMemory.time) == nil)
        #expect(memory.isEmpty)
    }

    @Test("a thousand files leave the latest ones")
    func bounded() {
        var memory = CrashMemory()
        for number in 0..<1000 {
            let file = CrashMemory.Source(format: .svg, length: number, digest: "")
            for _ in 0..<2 { memory.note(error, of: file, at: start) }
        }
        #expect(memory.refusal(of: CrashMemory.Source(format: .svg, length: 999, digest: ""), at: start) != nil)
        #expect(memory.refusal(of: CrashMemory.Source(format: .svg, length: 0, digest: ""), at: start) == nil)
    }
}
