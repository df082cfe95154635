import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Decodes every format in each isolation in which Firn is used: the pixels are the same.
@Suite struct IsolationModeTests {
    private static let modes = [
        DecoderIsolation.none, .built(.complexFormats), .built(.all),
    ]

    /// A way to ask for pixels: frame, size, part.
    private static func ways(_ size: PixelSize, frames: Int) -> [(String, DecodingOptions)] {
        var ways: [(String, DecodingOptions)] = []
        func add(_ name: String, _ change: (inout DecodingOptions) -> Void) {
            var options = DecodingOptions()
            change(&options)
            ways.append((name, options))
        }
        for frame in 0..<min(2, frames) {
            add("whole, frame \(frame)") { $0.frame = frame }
            add("straight, frame \(frame)") {
                $0.frame = frame
                $0.pixelFormat = .rgba8Straight
            }
            for level in [2, 3, 4, 8] {
                add("one of \(level), frame \(frame)") {
                    $0.frame = frame
                    $0.targetSize = TargetSize(width: size.width / level, height: size.height / level)
                }
            }
        }
        // Regions from an odd place on, with each of the last 48 right edges and each of the last 48 bottom edges.
        let (left, top) = (5 % size.width, 3 % size.height)
        for right in max(left + 1, size.width - 47)...size.width {
            add("right edge \(right)") {
                $0.region = .pixels(x: left, y: top, width: right - left, height: max(1, size.height * 2 / 3 - top))
            }
        }
        for bottom in max(top + 1, size.height - 47)...size.height {
            add("bottom edge \(bottom)") {
                $0.region = .pixels(x: left, y: top, width: max(1, size.width / 2 - left), height: bottom - top)
            }
            guard bottom % 4 == 1 || bottom % 16 == 0 else { continue }
            add("bottom edge \(bottom), scaled, last frame") {
                $0.region = .pixels(x: 0, y: 0, width: size.width, height: bottom)
                $0.targetSize = TargetSize(width: size.width / 4, height: bottom / 4)
                $0.frame = min(1, frames - 1)
            }
        }
        return ways
    }

    private static func session(_ file: Data, _ isolation: DecoderIsolation, pieces: Int?) throws
        -> any ImageDecodingSession
    {
        let decoders = try ImageDecoders.standard(isolation: isolation)
        let decoder = try #require(decoders.first { $0.recognizes(file.prefix(ImageFormat.sniffLength)) != nil })
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        for start in stride(from: 0, to: file.count, by: pieces ?? file.count) {
            try session.append(file.dropFirst(start).prefix(pieces ?? file.count))
            if pieces != nil { _ = try session.preview(DecodingOptions()) }
        }
        session.finish()
        return session
    }

    @Test(arguments: ModeImages.all)
    func `whole, scaled and partial images are the same in every isolation`(image: GeneratedImage) throws {
        let sessions = try IsolationModeTests.modes.map { try IsolationModeTests.session(image.data, $0, pieces: nil) }
        let properties = try #require(try sessions[0].properties())
        let frames = try sessions[0].frames().count
        for (name, options) in IsolationModeTests.ways(properties.size, frames: frames) {
            let outcomes = sessions.map { Outcome($0, options) }
            #expect(outcomes[0].isImage, "\(name): \(outcomes[0])")
            #expect(outcomes[1] == outcomes[0], "\(name), complex formats isolated")
            #expect(outcomes[2] == outcomes[0], "\(name), all formats isolated")
        }
    }

    @Test(arguments: ModeImages.all)
    func `a file that comes in pieces gives the same in every isolation`(image: GeneratedImage) throws {
        let whole = try IsolationModeTests.session(image.data, .none, pieces: nil)
        var region = DecodingOptions()
        region.region = .pixels(x: 1, y: 1, width: 13, height: 9)
        for mode in IsolationModeTests.modes {
            let session = try IsolationModeTests.session(image.data, mode, pieces: max(37, image.data.count / 40))
            for options in [DecodingOptions(), region] {
                #expect(Outcome(session, options) == Outcome(whole, options), "\(mode.formats.count) formats isolated")
            }
        }
    }
}
