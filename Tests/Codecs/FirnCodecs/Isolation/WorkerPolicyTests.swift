import CFirnCodecs
import FirnImage
import Testing

@testable import FirnCodecs

@Suite("Policy of isolated decoders")
struct WorkerPolicyTests {
    private func policy(_ codec: firn_codec, _ isolation: DecoderIsolation = .all) -> WorkerPolicy {
        WorkerPolicy(codec, isolation, ImageLimits())
    }

    @Test func `only JPEG, PNG and WebP are decoded by a kept worker`() {
        for codec in [FIRN_CODEC_JPEG, FIRN_CODEC_PNG, FIRN_CODEC_WEBP] { #expect(policy(codec).isKept) }
        for codec in [FIRN_CODEC_AVIF, FIRN_CODEC_HEIC, FIRN_CODEC_JXL, FIRN_CODEC_TIFF, FIRN_CODEC_SVG] {
            #expect(policy(codec).imagesPerWorker == 1)
        }
        var isolation = DecoderIsolation.all
        isolation.imagesPerProcess = 1
        #expect(!policy(FIRN_CODEC_JPEG, isolation).isKept)
    }

    @Test func `a worker may use the memory that the caller allows, for any format and image`() {
        var limits = ImageLimits()
        limits.maximumWorkingBytes = 256 << 20
        for codec in [FIRN_CODEC_HEIC, FIRN_CODEC_AVIF, FIRN_CODEC_SVG, FIRN_CODEC_TIFF, FIRN_CODEC_JXL] {
            let policy = WorkerPolicy(codec, .all, limits)
            #expect((256 << 20...340 << 20).contains(policy.memory(input: 1000)))
            #expect(policy.memory(input: 100 << 20) >= policy.memory(input: 0) + 96 << 20)
        }
    }

    @Test(arguments: [1, 60, 100_000, nil])
    func `the CPU limit of a worker is above the time limit of its images`(limit: Int?) {
        var limits = ImageLimits()
        limits.maximumDecodingTime = limit.map { .seconds($0) }
        for codec in [FIRN_CODEC_PNG, FIRN_CODEC_HEIC] {
            let policy = WorkerPolicy(codec, .all, limits)
            #expect(policy.maximumSeconds >= max(3600, (limit ?? 0) * policy.imagesPerWorker))
        }
    }

    @Test func `numbers of any size give limits above zero`() {
        for number in [0, -1, Int.min, Int.max, 1 << 62] {
            var limits = ImageLimits()
            limits.maximumWorkingBytes = number
            limits.maximumBytes = number
            var isolation = DecoderIsolation.all
            isolation.imagesPerProcess = number
            let policy = WorkerPolicy(FIRN_CODEC_PNG, isolation, limits)
            #expect(policy.memory(input: number) > 0 && policy.memory(input: number) <= policy.maximumMemory)
            #expect(policy.maximumSeconds > 0)
        }
    }

    @Test func `a variable is the only place of the program; otherwise it is beside the executable or in libexec`() {
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
