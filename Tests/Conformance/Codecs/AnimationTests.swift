import FirnImage
import FirnDigest
import Testing

/// Compares composited frames with the frames on which two other decoders agree.
@Suite(.enabled(if: Corpus.found != nil, Comment(rawValue: Corpus.absence)))
struct AnimationTests {
    /// Only every eighth of the larger animations is hashed, because a debug build hashes a few megabytes a second.
    private static let hashedPixels = 100_000

    @Test(arguments: ["gif", "apng", "webp"])
    func `animations have the frames that two other decoders agree on`(format: String) throws {
        let images = try #require(Corpus.found).sound(format).filter { $0["frames_sha256"].count == 64 }
        for (index, image) in images.enumerated() {
            let frames = Int(image["frames"]) ?? 1
            let pixels = (Int(image["width"]) ?? 0) * (Int(image["height"]) ?? 0) * frames
            if pixels > AnimationTests.hashedPixels, index % 8 != 0 { continue }
            if pixels > 40 * AnimationTests.hashedPixels { continue }
            let session = try ImageJudge.session(image.path)
            #expect(try session.frames().count == frames, "\(image.path)")
            #expect(try digest(session, frames: frames) == image["frames_sha256"], "\(image.path)")
        }
    }

    /// Returns the hash of all frames in order, as straight RGBA with transparent pixels black.
    private func digest(_ session: any ImageDecodingSession, frames: Int) throws -> String {
        let hash = SHA256()
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.appliesOrientation = false
        options.appliesColorProfile = false
        for index in 0..<frames {
            options.frame = index
            ImageJudge.add(try session.decode(options), to: hash)
        }
        return hash.digest()
    }
}
