import FirnCodecs
import FirnImage
import FirnReport
import FoundationEssentials
import Testing

/// Compares composited frames with the frames on which two other decoders agree.
@Suite(.enabled(if: Corpus.found != nil, Comment(rawValue: Corpus.absence)))
struct AnimationTests {
    /// Of larger animations, only every eighth is hashed, because a debug build hashes a few megabytes a second.
    private static let hashedPixels = 100_000

    @Test(arguments: ["gif", "apng", "webp"])
    func `animations have the frames that two other decoders agree on`(format: String) throws {
        let images = try #require(Corpus.found).sound(format).filter { $0["frames_sha256"].count == 64 }
        for (index, image) in images.enumerated() {
            let frames = Int(image["frames"]) ?? 1
            let pixels = (Int(image["width"]) ?? 0) * (Int(image["height"]) ?? 0) * frames
            if pixels > AnimationTests.hashedPixels, index % 8 != 0 { continue }
            if pixels > 40 * AnimationTests.hashedPixels { continue }
            let session = try session(image.path)
            #expect(try session.frames().count == frames, "\(image.path)")
            #expect(try digest(session, frames: frames) == image["frames_sha256"], "\(image.path)")
        }
    }

    /// Returns the hash of all frames in order, as straight RGBA with transparent pixels black.
    private func digest(_ session: any ImageDecodingSession, frames: Int) throws -> String {
        var hash = SHA256()
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.appliesOrientation = false
        options.appliesColorProfile = false
        for index in 0..<frames {
            options.frame = index
            let bitmap = try session.decode(options)
            bitmap.withUnsafeBytes { bytes in
                for y in 0..<bitmap.size.height {
                    let start = y * bitmap.bytesPerRow
                    var row = Array(bytes[start..<start + bitmap.size.width * 4])
                    if !bitmap.isOpaque {
                        for at in stride(from: 0, to: row.count, by: 4) where row[at + 3] == 0 {
                            for sample in at..<at + 3 { row[sample] = 0 }
                        }
                    }
                    row.withUnsafeBytes { hash.update($0) }
                }
            }
        }
        return hash.digest()
    }

    private func session(_ path: String) throws -> any ImageDecodingSession {
        let data = try Data(contentsOf: URL(filePath: path))
        let decoder = try #require(ImageDecoders.standard.first { $0.recognizes(data) != nil })
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        try session.append(data)
        session.finish()
        return session
    }
}
