import CFirnCodecs
import FirnImage
import Testing

@testable import FirnCodecs

@Suite("Policy of isolated decoders")
struct WorkerPolicyTests {
    private func policy(_ codec: firn_codec, _ isolation: DecoderIsolation = .all) -> WorkerPolicy {
        WorkerPolicy(codec, isolation, ImageLimits())
    }

    @Test("only JPEG, PNG and WebP are decoded by a kept worker")
    func kept() {
        for codec in [FIRN_CODEC_JPEG, FIRN_CODEC_PNG, FIRN_CODEC_WEBP] { #expect(policy(codec).isKept) }
        for codec in [FIRN_CODEC_AVIF, FIRN_CODEC_HEIC, FIRN_CODEC_JXL, FIRN_CODEC_TIFF, FIRN_CODEC_SVG] {
            #expect(policy(codec).imagesPerWorker == 1)
        }
        var isolation = DecoderIsolation.all
        isolation.imagesPerProcess = 1
        #expect(!policy(FIRN_CODEC_JPEG, isolation).isKept)
    }

    @Test("a small image has two seconds of CPU time and 300 MiB at most")
    func small() {
        for codec in [FIRN_CODEC_HEIC, FIRN_CODEC_AVIF, FIRN_CODEC_SVG, FIRN_CODEC_TIFF, FIRN_CODEC_JXL] {
            let size = PixelSize(width: 1000, height: 1000)
            let header = policy(codec).header(input: 10_000)
            let decode = policy(codec).decode(size: size, least: nil, workingBytes: 8 << 20, input: 10_000)
            #expect(max(header.microseconds, decode.microseconds) < 2_000_000)
            #expect(max(header.memory, decode.memory) < 300 << 20)
        }
    }

    @Test("a drawing's budget follows the size that it is drawn at")
    func drawing() {
        let size = PixelSize(width: 100, height: 100)
        let small = policy(FIRN_CODEC_SVG).decode(size: size, least: nil, workingBytes: 0, input: 100)
        let large = policy(FIRN_CODEC_SVG).decode(
            size: size, least: PixelSize(width: 4000, height: 4000), workingBytes: 0, input: 100)
        #expect(large.memory > small.memory + (100 << 20))
        #expect(large.microseconds > small.microseconds)
    }

    @Test("numbers of any size give a budget within the limits")
    func saturation() {
        for number in [0, -1, Int.min, Int.max, 1 << 62] {
            let size = PixelSize(width: number, height: number)
            let policy = policy(FIRN_CODEC_SVG)
            for budget in [
                policy.header(input: number),
                policy.decode(size: size, least: size, workingBytes: number, input: number),
            ] {
                #expect(budget.memory > 0 && budget.memory <= policy.most.memory)
                #expect(budget.microseconds > 0 && budget.microseconds <= policy.most.microseconds)
            }
        }
    }

    @Test("a later frame of an animation has time for the frames before it")
    func frames() {
        let size = PixelSize(width: 1000, height: 1000)
        let policy = policy(FIRN_CODEC_AVIF)
        let first = policy.decode(size: size, least: nil, workingBytes: 0, input: 0)
        let later = policy.decode(size: size, least: nil, workingBytes: 0, input: 0, frame: 99)
        #expect(later.microseconds - first.microseconds == 99 * 50_000)
    }

    @Test("the time scale multiplies the CPU time")
    func scale() {
        var slow = DecoderIsolation.all
        slow.timeScale = 4
        let usual = policy(FIRN_CODEC_HEIC).header(input: 1000)
        #expect(policy(FIRN_CODEC_HEIC, slow).header(input: 1000).microseconds == usual.microseconds * 4)
    }

    @Test("a variable is the only place of the program; otherwise it is beside the executable or in libexec")
    func places() {
        #expect(WorkerProgram.places(variable: "/x/decoder", executable: "/usr/bin/firn") == ["/x/decoder"])
        #expect(
            WorkerProgram.places(variable: nil, executable: "/usr/bin/firn")
                == [
                    "/usr/bin/firn-decoder", "/usr/bin/../libexec/firn-decoder",
                    "/usr/bin/../libexec/firn/firn-decoder",
                ])
        #expect(WorkerProgram.places(variable: "", executable: nil).isEmpty)
    }
}
