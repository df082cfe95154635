import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct JPEGColorTests {
    /// Returns `file` with a profile in APP2 segments after its first marker, in the given order.
    private func tagged(_ file: Data, _ parts: [(number: UInt8, of: UInt8, bytes: Data)]) -> Data {
        var result = Data(file.prefix(2))
        for part in parts {
            let length = part.bytes.count + 16
            result.append(contentsOf: [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)])
            result.append(contentsOf: "ICC_PROFILE\0".utf8)
            result.append(contentsOf: [part.number, part.of])
            result.append(part.bytes)
        }
        return result + file.dropFirst(2)
    }

    private func pixel(_ file: Data, profile: Bool = true, limits: ImageLimits = ImageLimits()) throws -> [Int] {
        try packed(session(file, limits: limits).decode(straight(profile: profile))).prefix(4).map { Int($0) }
    }

    @Test func `inks go through their profile, once (F17)`() throws {
        let file = tagged(DecoderSamples.inkJPEG, [(1, 1, DecoderSamples.inkProfile)])
        // 200 of 255 parts of magenta: L* = 100 - 50 * 200 / 255, no chroma.
        let color = try pixel(file)
        #expect(color.prefix(3).allSatisfy { abs($0 - 147) < 8 }, "\(color)")
        #expect(color[3] == 255)
        #expect(try pixel(file, profile: false)[1] < 64)
        #expect(try session(file).decode(DecodingOptions()).isOpaque)
    }

    @Test func `a profile of another kind than the pixels is ignored`() throws {
        let inks = tagged(DecoderSamples.inkJPEG, [(1, 1, DecoderSamples.swappedProfile)])
        #expect(try pixel(inks) == pixel(DecoderSamples.inkJPEG))
        let colors = tagged(DecoderSamples.baselineJPEG, [(1, 1, DecoderSamples.inkProfile)])
        #expect(try pixel(colors) == pixel(DecoderSamples.baselineJPEG))
    }

    @Test func `a profile in parts is put together by their numbers`() throws {
        let first = DecoderSamples.swappedProfile.prefix(200)
        let second = DecoderSamples.swappedProfile.dropFirst(200)
        let whole = tagged(DecoderSamples.baselineJPEG, [(1, 1, DecoderSamples.swappedProfile)])
        let parts = tagged(DecoderSamples.baselineJPEG, [(2, 2, second), (1, 2, first)])
        #expect(try session(parts).properties()?.colorProfile?.icc == DecoderSamples.swappedProfile)
        #expect(try pixel(parts) == pixel(whole))
        #expect(try pixel(parts) != pixel(DecoderSamples.baselineJPEG))
    }

    @Test func `of a profile that is stored twice, and of two profiles, the first counts`() throws {
        let (jpeg, profile) = (DecoderSamples.baselineJPEG, DecoderSamples.swappedProfile)
        let whole = try pixel(tagged(jpeg, [(1, 1, profile)]))
        let (first, second) = (profile.prefix(200), profile.dropFirst(200))
        for segments: [(number: UInt8, of: UInt8, bytes: Data)] in [
            [(1, 1, profile), (1, 1, profile)], [(1, 2, first), (2, 2, second), (1, 2, first), (2, 2, second)],
            [(1, 2, first), (1, 2, first), (2, 2, second)], [(1, 1, profile), (1, 2, second), (2, 2, first)],
            [(1, 1, profile), (1, 1, DecoderSamples.inkProfile)],
        ] {
            #expect(try pixel(tagged(jpeg, segments)) == whole)
        }
    }

    @Test func `a profile that lacks a part, is damaged or is too large is ignored`() throws {
        let profile = DecoderSamples.swappedProfile
        var damaged = profile
        damaged.replaceSubrange(128..<160, with: [UInt8](repeating: 0xFF, count: 32))
        let plain = try pixel(DecoderSamples.baselineJPEG)
        #expect(try pixel(tagged(DecoderSamples.baselineJPEG, [(2, 2, profile)])) == plain)
        #expect(try pixel(tagged(DecoderSamples.baselineJPEG, [(1, 1, damaged)])) == plain)
        var limits = ImageLimits()
        limits.maximumProfileBytes = 100
        #expect(try pixel(tagged(DecoderSamples.baselineJPEG, [(1, 1, profile)]), limits: limits) == plain)
    }
}
