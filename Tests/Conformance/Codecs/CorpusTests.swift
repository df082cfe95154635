import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// The decoders against a corpus of other people's pictures, with what other decoders say of them.
@Suite(.enabled(if: Corpus.found != nil, Comment(rawValue: Corpus.absence)))
struct CorpusTests {
    /// Of larger pictures only every twentieth is hashed, because a debug build hashes some megabytes a second.
    private static let hashedPixels = 30_000

    @Test(arguments: ["jpeg", "png", "apng", "webp", "gif"])
    func `pictures are described as other decoders describe them`(format: String) throws {
        let pictures = try #require(Corpus.found).sound(format)
        #expect(!pictures.isEmpty)
        for picture in pictures where !KnownDifferences.contains(picture.path, KnownDifferences.properties) {
            let session = try session(picture.path)
            let properties = try #require(try session.properties(), "\(picture.path)")
            #expect(properties.format.rawValue == format, "\(picture.path)")
            #expect("\(properties.size)" == "\(picture["width"])x\(picture["height"])", "\(picture.path)")
            #expect(
                "\(properties.displaySize)" == "\(picture["display_width"])x\(picture["display_height"])",
                "\(picture.path)")
            if let orientation = Int(picture["orientation"]) {
                #expect(properties.orientation.rawValue == orientation, "\(picture.path)")
            }
            if format != "jpeg", format != "png", let frames = Int(picture["frames"]) {
                #expect(properties.frameCount == frames, "\(picture.path)")
            }
        }
    }

    @Test(arguments: ["jpeg", "png", "apng", "webp", "gif"])
    func `pictures have the pixels that two other decoders agree on`(format: String) throws {
        let pictures = try #require(Corpus.found).sound(format).filter { $0["pixels"] == "exact" }
        #expect(!pictures.isEmpty)
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.appliesOrientation = false
        options.appliesColorProfile = false
        for (index, picture) in pictures.enumerated()
        where !KnownDifferences.contains(picture.path, KnownDifferences.pixels) {
            let area = (Int(picture["width"]) ?? 0) * (Int(picture["height"]) ?? 0)
            if area > CorpusTests.hashedPixels, index % 20 != 0 { continue }
            let digest = try session(picture.path).decode(options).straightDigest()
            #expect(digest == picture["rgba_sha256"], "\(picture.path)")
        }
    }

    @Test(arguments: ["jpeg", "png", "apng", "webp", "gif"])
    func `hostile files end in a picture or an error`(format: String) throws {
        let limits = DecodingLimits()
        for picture in try #require(Corpus.found).hostile(format)
        where FileManager.default.fileExists(atPath: picture.path) {
            do {
                let session = try session(picture.path)
                let bitmap = try session.decode(DecodingOptions())
                #expect(bitmap.cost <= limits.maximumDecodedBytes)
            } catch let error as DecodingError {
                #expect(!error.message.isEmpty && error.fault != .cancelled, "\(picture.path)")
            } catch is UnknownFormat {}
        }
    }

    private struct UnknownFormat: Error {}

    /// A session that has got the whole file.
    private func session(_ path: String) throws -> any ImageDecodingSession {
        let data = try Data(contentsOf: URL(filePath: path))
        guard let decoder = ImageDecoders.standard.first(where: { $0.recognises(data) != nil }) else {
            throw UnknownFormat()
        }
        let session = decoder.makeSession(limits: DecodingLimits(), cancellation: CancellationFlag())
        try session.append(data)
        session.finish()
        return session
    }
}
