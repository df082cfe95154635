import FirnImage
import Testing

@testable import FirnCodecs

@Suite struct SequenceTimelineTests {
    /// Returns samples shown at `times`, in thousandths, each decoded `duration` after the previous one.
    private func samples(_ times: [Int], last duration: Int = 10) -> [SampleTable.Sample] {
        times.map { SampleTable.Sample(offset: 0, length: 1, time: $0, duration: duration, isSync: true) }
    }

    private func timeline(
        _ samples: [SampleTable.Sample], _ edits: [EditList.Edit] = [], media: Int = 1000, movie: Int = 1000
    ) throws -> [SequenceTimeline.Frame] {
        var list: EditList?
        if !edits.isEmpty { list = EditList(edits: edits) }
        var limits = ImageLimits()
        limits.maximumFrames = 100
        return try SequenceTimeline(samples, list, (media, movie), limits, DecodingWatch()).frames
    }

    private func edit(_ start: Int, _ duration: Int, dwells: Bool = false) -> EditList.Edit {
        EditList.Edit(duration: duration, start: start, dwells: dwells)
    }

    @Test func `images are shown in the order of their times, each until the next`() throws {
        let frames = try timeline(samples([0, 70, 20, 50]))
        #expect(frames.map(\.sample) == [0, 2, 3, 1])
        #expect(frames.map(\.duration) == [20, 30, 20, 10])
    }

    @Test func `durations are rounded to the nearest millisecond`() throws {
        let frames = try timeline(samples([0, 3003, 6006], last: 3003), media: 90_000)
        #expect(frames.map(\.duration) == [33, 33, 33])
        #expect(try timeline(samples([0, 1, 2, 4], last: 1), media: 600).map(\.duration) == [2, 2, 3, 2])
    }

    @Test func `an edit drops frames outside it and shortens those at its ends`() throws {
        let frames = try timeline(samples([0, 100, 200, 300], last: 100), [edit(150, 120)])
        #expect(frames.map(\.sample) == [1, 2])
        #expect(frames.map(\.duration) == [50, 70])
    }

    @Test func `an edit holds an image, or repeats a part`() throws {
        let all = samples([0, 100, 200], last: 100)
        let frames = try timeline(all, [edit(100, 700, dwells: true), edit(0, 200), edit(0, 100)])
        #expect(frames.map(\.sample) == [1, 0, 1, 0])
        #expect(frames.map(\.duration) == [700, 100, 100, 100])
    }

    @Test func `the last image stays until the edit ends`() throws {
        #expect(try timeline(samples([0, 100], last: 10), [edit(0, 400)]).map(\.duration) == [100, 300])
    }

    @Test func `the rounding of a coarse movie time scale neither removes nor adds frames`() throws {
        // 16.67 ms each: the list ends a third of a millisecond early or late.
        let all = samples([0, 1500, 3000, 4500], last: 1500)
        for duration in [66, 67] {
            let frames = try timeline(all, [edit(0, duration)], media: 90_000)
            #expect(frames.map(\.duration) == [17, 17, 17, 17])
        }
    }

    @Test func `images without duration are kept`() throws {
        #expect(try timeline(samples([0, 0, 0], last: 0)).count == 3)
        #expect(try timeline(samples([0, 0, 0], last: 0), [edit(0, 100)]).count == 3)
    }

    @Test func `an edit list without durations is ignored`() throws {
        #expect(try timeline(samples([0, 100], last: 100), [edit(900, 50)]).count == 2)
    }

    @Test func `the largest numbers neither trap nor make more frames than allowed`() throws {
        let far = samples([Int.min / 2, Int.max / 2], last: Int(UInt32.max))
        #expect(try timeline(far, media: 1).count == 2)
        let edits = [EditList.Edit](repeating: edit(0, Int.max), count: 60)
        #expect(decodingError { _ = try timeline(samples([0, 1]), edits, media: Int(UInt32.max)) }?.fault == .limit)
    }
}

@Suite struct HEVCParametersTests {
    /// A parameter set of x265 4.1: 64x64 coded, 24x16 shown, 4:2:0, 8 bits, all color values unspecified.
    private let unit: [UInt8] = [
        0x42, 0x01, 0x01, 0x03, 0x70, 0x00, 0x00, 0x03, 0x00, 0x90, 0x00, 0x00, 0x03, 0x00, 0x00, 0x03, 0x00, 0x1E,
        0xA0,
        0x20, 0x81, 0x05, 0x96, 0xEA, 0xAE, 0x9A, 0xE6, 0xE0, 0x40, 0x40, 0xC0, 0x80, 0x00, 0x00, 0x03, 0x00, 0x80,
        0x00,
        0x00, 0x03, 0x00, 0x84,
    ]

    @Test func `size, kind and colors are read`() throws {
        let parameters = try #require(HEVCParameters(unit: unit))
        #expect(parameters.codedSize == PixelSize(width: 64, height: 64))
        #expect(parameters.chromaFormat == 1 && parameters.lumaBits == 8 && parameters.chromaBits == 8)
        #expect(parameters.keptImages >= 1)
    }

    @Test func `a truncated or damaged parameter set is ignored or read as far as it goes`() {
        for count in 0..<unit.count { _ = HEVCParameters(unit: unit.prefix(count)) }
        #expect(HEVCParameters(unit: unit.prefix(20)) == nil)
        for index in unit.indices {
            for bit in 0..<8 {
                var damaged = unit
                damaged[index] ^= 1 << UInt8(bit)
                if let found = HEVCParameters(unit: damaged) {
                    #expect(found.size.width > 0 && found.size.width <= found.codedSize.width)
                }
            }
        }
    }

    @Test func `codes that never end are damage`() {
        var bits = HEVCBits(unit: [0, 0] + [UInt8](repeating: 0x11, count: 2) + [UInt8](repeating: 0, count: 20))
        #expect(bits.bits(8) == 0x11)
        #expect(bits.golomb() == 7)
        #expect(bits.golomb() == 0)
        #expect(!bits.isDamaged)
        #expect(bits.golomb() == 0)
        #expect(bits.isDamaged)
    }
}
