import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct APNGDecoderTests {
    private let red: [UInt8] = [255, 0, 0, 255]
    private let green: [UInt8] = [0, 255, 0, 255]
    private let blue: [UInt8] = [0, 0, 255, 255]

    private func frame(_ pixel: [UInt8]) -> HandmadeAPNG.Frame { .init(width: 1, height: 1, pixels: pixel) }

    @Test func `a default image without a frame control is not a frame, and is returned on request`() throws {
        var png = HandmadeAPNG(width: 1, height: 1, frames: [frame(green), frame(blue)])
        png.poster = red
        let session = try session(png.data)
        #expect(try session.frames().count == 2)
        #expect(try packed(session.decode(straight())) == green)
        var options = straight()
        options.prefersDefaultImage = true
        #expect(try packed(session.decode(options)) == red)
        options.frame = 1
        #expect(try packed(session.decode(options)) == blue)
    }

    @Test func `frames are kept if the first control precedes the animation chunk`() throws {
        var png = HandmadeAPNG(width: 1, height: 1, frames: [frame(red), frame(green), frame(blue)], loops: 3)
        png.isControlEarly = true
        let session = try openSession(png.data)
        for byte in png.data { try session.append(Data([byte])) }
        session.finish()
        let properties = try #require(try session.properties())
        #expect(properties.format == .apng && properties.frameCount == 3 && properties.loopCount == 3)
        var options = straight()
        for (index, pixel) in [red, green, blue].enumerated() {
            options.frame = index
            #expect(try packed(session.decode(options)) == pixel)
        }
    }

    @Test func `a wrong checksum fails its own frame only`() throws {
        var png = HandmadeAPNG(width: 1, height: 1, frames: [frame(red), frame(green), frame(blue)])
        // The checksum of the first of three chunks is wrong: after the last row, a wrong checksum would come too late
        // to matter.
        png.pieces = 3
        png.damaged = 0
        let session = try session(png.data)
        var options = straight()
        options.frame = 1
        #expect(decodingError { _ = try session.decode(options) }?.fault == .data)
        for (index, pixel) in [(0, red), (2, blue)] {
            options.frame = index
            #expect(try packed(session.decode(options)) == pixel)
        }
    }

    @Test func `a sequence number out of place ends the animation`() throws {
        var png = HandmadeAPNG(width: 1, height: 1, frames: [frame(red), frame(green), frame(blue)])
        // Sequence numbers: 0 | 1 2 | 3 4: the second frame's pixels are followed by a gap.
        png.gap = 2
        let session = try session(png.data)
        #expect(try session.frames().count == 2)
        var options = straight()
        options.frame = 1
        #expect(try packed(session.decode(options)) == green)
    }

    @Test func `"previous" of the first frame leaves nothing`() throws {
        var first = frame(red)
        first.disposal = 2
        var second = frame([0, 255, 0, 0])
        second.blends = true
        let session = try session(HandmadeAPNG(width: 1, height: 1, frames: [first, second]).data)
        var options = straight()
        options.frame = 1
        #expect(try packed(session.decode(options))[3] == 0)
    }

    @Test func `frames partly and wholly outside are cut`() throws {
        let outside = HandmadeAPNG.Frame(left: 5, top: 5, width: 1, height: 1, pixels: green)
        let partly = HandmadeAPNG.Frame(left: 1, width: 2, height: 1, pixels: blue + green)
        let first = HandmadeAPNG.Frame(width: 2, height: 1, pixels: red + red)
        let session = try session(HandmadeAPNG(width: 2, height: 1, frames: [first, outside, partly]).data)
        var options = straight()
        options.frame = 1
        #expect(try packed(session.decode(options)) == red + red)
        options.frame = 2
        #expect(try packed(session.decode(options)) == red + blue)
    }

    @Test func `a frame that declares more pixels than allowed is refused, the others are not`() throws {
        var huge = frame(green)
        huge.width = 1 << 30
        huge.height = 1 << 30
        huge.pixels = []
        let session = try session(HandmadeAPNG(width: 1, height: 1, frames: [frame(red), huge]).data)
        #expect(try packed(session.decode(straight())) == red)
        #expect(try session.frames().count == 1)
    }

    @Test func `an animation without valid frames is a still`() throws {
        var png = HandmadePNG(width: 1, height: 1, colorType: 6, rows: [red])
        png.before = [("acTL", HandmadePNG.big(2, 4) + HandmadePNG.big(0, 4))]
        let session = try session(png.data)
        #expect(try session.properties()?.format == .png)
        #expect(try session.properties()?.frameDurations == nil)
        #expect(try packed(session.decode(straight())) == red)
    }
}
