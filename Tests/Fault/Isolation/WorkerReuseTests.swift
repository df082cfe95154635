import CFirnCodecs
import FirnImage
import Testing

@testable import FirnCodecs

@Suite("Reuse of decoder processes")
struct WorkerReuseTests {
    @Test("an idle process serves no decode that may use more memory than the process")
    func memory() throws {
        let program = try NamedDecoder("firn-reuse")
        defer { program.remove() }
        let service = DecoderService.service(of: try #require(program.isolation.decoderPath))
        var few = ImageLimits()
        few.maximumWorkingBytes = 1 << 20
        let small = WorkerPolicy(FIRN_CODEC_PNG, program.isolation, few)
        let large = WorkerPolicy(FIRN_CODEC_PNG, program.isolation, ImageLimits())
        let first = try service.worker(small)
        service.giveBack(first)
        let second = try service.worker(large)
        #expect(second !== first && second.mostMemory > first.mostMemory)
        #expect(try service.worker(small) === first)
    }
}
