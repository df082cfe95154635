import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@testable import FirnServe

@Suite("Animations in results", .timeLimit(.minutes(3)))
struct ServeAnimationTests {
    private static let size = PixelSize(width: 80, height: 40)

    /// An animation of gray frames with a white square, which moves by ten columns.
    private static func animation(_ encoder: any AnimationEncoding, frames: Int = 4) throws -> Data {
        let session = try encoder.makeAnimation(size: size, repetitions: .plays(3))
        for frame in 0..<frames {
            let image = try Bitmap(size: size, format: .rgb8) { pixels in
                for y in 0..<size.height {
                    pixels.row(y).initializeMemory(as: UInt8.self, repeating: 60, count: 240)
                    if y < 10 {
                        (pixels.row(y) + 30 * (frame % 8)).initializeMemory(as: UInt8.self, repeating: 250, count: 30)
                    }
                }
            }
            try session.append(image, duration: .milliseconds(100 + 50 * frame))
        }
        return try session.finish()
    }

    private func run(
        frames: Int = 4, _ change: (inout ServeSettings) -> Void = { _ in }, _ body: (ServeFixture) async throws -> Void
    ) async throws {
        try await ServeFixture.run(change) { fixture in
            let folder = fixture.folder + "/images/"
            try Self.animation(GIFEncoder(), frames: frames).write(to: URL(filePath: folder + "m.gif"))
            try Self.animation(WebPEncoder(lossless: true), frames: frames)
                .write(to: URL(filePath: folder + "m.webp"))
            try await body(fixture)
        }
    }

    private func decoder(_ fixture: ServeFixture, _ path: String) async throws -> ImageDecoder {
        let response = try await fixture.get(path)
        try #require(response.status == 200, "\(path): \(String(decoding: response.body, as: UTF8.self))")
        let decoder = ImageDecoder(decoders: ImageDecoders.standard)
        try decoder.setData(Data(response.body), allDataReceived: true)
        return decoder
    }

    private func expectFrames(
        _ count: Int, _ fixture: ServeFixture, _ path: String, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await decoder(fixture, path)
        #expect(result.frameCount == count, sourceLocation: location)
    }

    @Test(arguments: [
        ("/w:40/plain/local:///m.gif", ImageFormat.gif, 40, 20), ("/plain/local:///m.gif@webp", .webp, 80, 40),
        ("/rs:fill:20:20/plain/local:///m.webp@gif", .gif, 20, 20), ("/w:40/plain/local:///m.webp", .gif, 40, 20),
        ("/rot:90/pd:1/pix:4/plain/local:///m.webp@webp", .webp, 42, 82),
        // Trim is not for animations, and smart gravity is the center.
        ("/t:10/plain/local:///m.gif", .gif, 80, 40), ("/g:sm/rs:fill:20:20/plain/local:///m.gif", .gif, 20, 20),
    ])
    func `animations keep frames, times and plays, in the size that is asked`(
        _ path: String, _ format: ImageFormat, _ width: Int, _ height: Int
    ) async throws {
        try await run { fixture in
            let result = try await decoder(fixture, path)
            #expect(result.format == format && result.size == PixelSize(width: width, height: height))
            #expect(result.frameCount == 4 && result.repetitionCount == .plays(3))
            let durations = (0..<4).map { result.frameDuration(at: $0) }
            #expect(durations == [100, 150, 200, 250].map { .milliseconds($0) })
        }
    }

    @Test(arguments: ["m.gif", "m.webp"])
    func `each frame shows its own moment`(_ name: String) async throws {
        try await run { fixture in
            let result = try await decoder(fixture, "/c:60:10:nowe/plain/local:///\(name)@gif")
            for frame in 0..<4 {
                let image = try result.frame(at: frame).image()
                #expect(image.size == PixelSize(width: 60, height: 10))
                for square in 0..<6 {
                    let expected: UInt8 = square == frame ? 250 : 60
                    #expect(
                        try image.color(10 * square + 5, 5) == [expected, expected, expected], "\(frame) \(square)")
                }
            }
        }
    }

    @Test func `other formats, and a limit of one frame, give the first frame`() async throws {
        try await run { fixture in
            for name in ["png", "jpg", "bmp"] {
                let result = try await decoder(fixture, "/plain/local:///m.gif@\(name)")
                #expect(result.frameCount == 1)
                #expect(try result.frame(at: 0).image().color(5, 30) == [60, 60, 60])
            }
        }
        try await run({ $0.imgproxy.limits.animationFrames = 1 }) { fixture in
            try await expectFrames(1, fixture, "/plain/local:///m.gif")
            // Without frames to keep, the formats of stills come first.
            let still = try await decoder(fixture, "/plain/local:///m.webp")
            #expect(still.format == .jpeg)
        }
    }

    @Test func `long animations are cut, large ones are stills`() async throws {
        try await run(frames: 8, { $0.imgproxy.limits.animationFrames = 5 }) { fixture in
            try await expectFrames(5, fixture, "/plain/local:///m.gif")
            #expect(try await fixture.get("/maf:2/plain/local:///m.gif").status == 403)
        }
        // 4 frames of 3,200 pixels.
        try await run({ $0.imgproxy.limits.sourceMegapixels = 0.0127 }) { fixture in
            try await expectFrames(1, fixture, "/plain/local:///m.gif")
        }
        try await run({ $0.imgproxy.limits.sourceMegapixels = 0.0128 }) { fixture in
            try await expectFrames(4, fixture, "/plain/local:///m.gif")
        }
        try await run({ $0.imgproxy.limits.resultPixels = 12_799 }) { fixture in
            try await expectFrames(1, fixture, "/plain/local:///m.gif")
            try await expectFrames(4, fixture, "/w:40/plain/local:///m.gif")
        }
    }

    @Test func `an animation is written without its damaged frame`() async throws {
        try await run { fixture in
            let path = fixture.folder + "/images/m.webp"
            var file = try Data(contentsOf: URL(filePath: path))
            // The last frame's pixels, behind their length, a signature and the size.
            let start = try #require(file.lastRange(of: Data("VP8L".utf8)))
            for at in start.upperBound + 9..<file.endIndex { file[at] = 0xFF }
            try file.write(to: URL(filePath: path))
            try await expectFrames(3, fixture, "/plain/local:///m.webp@gif")
        }
    }
}
