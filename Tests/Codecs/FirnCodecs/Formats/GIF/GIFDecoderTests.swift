import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct GIFDecoderTests {
    private let red: [UInt8] = [255, 0, 0, 255]
    private let green: [UInt8] = [0, 255, 0, 255]
    private let nothing: [UInt8] = [0, 0, 0, 0]

    @Test func `a small first frame stands on a transparent screen`() throws {
        let gif = HandmadeGIF(
            width: 3, height: 2, frames: [.init(left: 1, top: 1, width: 2, height: 1, indices: [0, 1])])
        let session = try session(gif.data)
        #expect(try session.properties()?.hasAlpha == true)
        let expected = [nothing, nothing, nothing, nothing, red, green]
        #expect(try packed(session.decode(straight())) == expected.flatMap { $0 })
    }

    @Test func `the transparent index is transparent`() throws {
        let gif = HandmadeGIF(
            width: 2, height: 1, frames: [.init(width: 2, height: 1, indices: [0, 1], transparent: 1)])
        #expect(try packed(session(gif.data).decode(straight())) == red + nothing)
    }

    @Test func `a frame beyond the screen enlarges it`() throws {
        let gif = HandmadeGIF(width: 1, height: 1, frames: [.init(left: 1, width: 1, height: 2, indices: [0, 1])])
        #expect(try session(gif.data).properties()?.size == PixelSize(width: 2, height: 2))
        let expected = [nothing, red, nothing, green]
        #expect(try packed(session(gif.data).decode(straight())) == expected.flatMap { $0 })
    }

    @Test func `interlaced rows are placed correctly`() throws {
        // Stored order of nine rows: 0 8 | 4 | 2 6 | 1 3 5 7.
        let stored: [UInt8] = [0, 0, 1, 2, 2, 3, 3, 3, 3]
        let gif = HandmadeGIF(
            width: 1, height: 9, frames: [.init(width: 1, height: 9, indices: stored, isInterlaced: true)])
        let pixels = try packed(session(gif.data).decode(straight()))
        let reds = (0..<9).map { pixels[$0 * 4] }
        let blues = (0..<9).map { pixels[$0 * 4 + 2] }
        #expect(reds == [255, 255, 0, 255, 0, 255, 0, 255, 255])
        #expect(blues == [0, 255, 255, 255, 0, 255, 255, 255, 0])
        #expect(try session(gif.data).properties()?.isProgressive == true)
    }

    @Test func `frames, durations and repetitions are counted, and a damaged second frame spoils nothing`() throws {
        let gif = HandmadeGIF(
            width: 1, height: 1,
            frames: [
                .init(width: 1, height: 1, indices: [0], delay: 5), .init(width: 1, height: 1, indices: [1], delay: 12),
            ], loops: 0)
        let properties = try #require(try session(gif.data).properties())
        #expect(properties.frameCount == 2)
        #expect(properties.frameDurations == [50, 120].map { .milliseconds($0) })
        #expect(properties.loopCount == 0)
        #expect(try packed(session(gif.data.dropLast(3)).decode(straight())) == red)
    }

    @Test func `a frame cut short is an error`() throws {
        let gif = HandmadeGIF(
            width: 10, height: 10, frames: [.init(width: 10, height: 10, indices: [UInt8](repeating: 1, count: 100))])
        let error = decodingError { _ = try session(gif.data.prefix(60)).decode(straight()) }
        #expect(error?.fault == .data)
        #expect(error?.message.hasPrefix("cut short after row") == true)
    }

    @Test func `more frames than the limit are refused`() throws {
        var limits = ImageLimits()
        limits.maximumFrames = 1
        let frame = HandmadeGIF.Frame(width: 1, height: 1, indices: [0])
        let gif = HandmadeGIF(width: 1, height: 1, frames: [frame, frame])
        #expect(decodingError { _ = try session(gif.data, limits: limits).properties() }?.fault == .limit)
    }

    @Test func `passes that have arrived fill the rows between them`() throws {
        let stored: [UInt8] = [0, 0, 1, 2, 2, 3, 3, 3, 3]
        let gif = HandmadeGIF(
            width: 1, height: 9, frames: [.init(width: 1, height: 9, indices: stored, isInterlaced: true)])
        let data = gif.data
        let session = try openSession(data)
        var fewest = 9
        for byte in data {
            try session.append(Data([byte]))
            guard let bitmap = try session.preview(straight()) else { continue }
            let pixels = packed(bitmap)
            fewest = min(fewest, (0..<9).count { pixels[$0 * 4 + 3] == 255 })
            // From the first row on, the top is filled.
            if pixels[3] == 255 { #expect((0..<8).allSatisfy { pixels[$0 * 4 + 3] == 255 }) }
        }
        #expect(fewest == 0 || fewest == 8)
    }

    @Test func `repetitions may be stated after the frames (F18)`() throws {
        var gif = HandmadeGIF(width: 1, height: 1, frames: [.init(width: 1, height: 1, indices: [0])])
        gif.loops = 5
        let bytes = [UInt8](gif.data)
        // The screen and its colors have 25 bytes, the extension has 19.
        let moved = bytes[..<25] + bytes[44..<(bytes.count - 1)] + bytes[25..<44] + [0x3B]
        #expect(try session(Data(moved)).properties()?.loopCount == 5)
    }

    @Test func `a frame uses its own palette if it has one`() throws {
        let gif = HandmadeGIF(
            width: 1, height: 1,
            frames: [.init(width: 1, height: 1, indices: [1], palette: [0, 0, 0, 7, 8, 9, 0, 0, 0, 0, 0, 0])])
        #expect(try packed(session(gif.data).decode(straight())) == [7, 8, 9, 255])
    }

    @Test func `a file without image data is one transparent frame`() throws {
        let empty = HandmadeGIF(width: 3, height: 2, frames: []).data
        let session = try openSession(empty)
        for byte in empty {
            #expect(try session.properties() == nil)
            try session.append(Data([byte]))
        }
        let properties = try #require(try session.properties())
        #expect(properties.size == PixelSize(width: 3, height: 2) && properties.frameCount == 1)
        #expect(properties.hasAlpha && properties.frameDurations == nil)
        #expect(try session.frames().map(\.isComplete) == [true])
        #expect(try packed(session.decode(straight())) == [UInt8](repeating: 0, count: 24))
        var small = straight()
        small.targetSize = TargetSize(1)
        #expect(try packed(session.decode(small)).allSatisfy { $0 == 0 })
    }

    @Test func `a file truncated before its first frame, and an empty screen, are refused`() throws {
        let cut = HandmadeGIF(width: 3, height: 3, frames: []).data.dropLast()
        #expect(decodingError { _ = try session(cut).properties() }?.message == "holds no frame")
        for frames in [[HandmadeGIF.Frame(width: 0, height: 0, indices: [])], []] {
            let none = HandmadeGIF(width: 0, height: 0, frames: frames)
            #expect(decodingError { _ = try session(none.data).properties() }?.fault == .data)
        }
    }

    @Test func `a frame far larger than the screen is limited by its working bytes`() throws {
        var limits = ImageLimits()
        limits.maximumResultBytes = 1 << 20
        let small = HandmadeGIF.Frame(width: 1, height: 1, indices: [0])
        let huge = HandmadeGIF.Frame(width: 65_535, height: 65_535, indices: [0])
        let session = try session(HandmadeGIF(width: 1, height: 1, frames: [small, huge]).data, limits: limits)
        #expect(try packed(session.decode(straight())) == red)
        var options = straight()
        options.frame = 1
        #expect(decodingError { _ = try session.decode(options) }?.fault == .limit)
    }

    @Test(arguments: [9, 10, 11])
    func `codes that begin with more bits than GIF allows are read`(codeSize: Int) throws {
        let indices: [UInt8] = [0, 1, 0, 1, 1]
        let gif = HandmadeGIF(width: 5, height: 1, frames: [.init(width: 5, height: 1, indices: indices)])
        let start = 13 + 12 + 8 + 10
        var bytes = [UInt8](gif.data.prefix(start))
        // A clear code, single indices, and the end code, each one bit wider than the size.
        var bits = 0
        var count = 0
        var codes: [UInt8] = []
        for code in [1 << codeSize] + indices.map({ Int($0) }) + [1 << codeSize + 1] {
            bits |= code << count
            count += codeSize + 1
            while count > 0 {
                codes.append(UInt8(bits & 255))
                bits >>= 8
                count -= 8
                if count < 8, code != 1 << codeSize + 1 { break }
            }
        }
        bytes += [UInt8(codeSize), UInt8(codes.count)] + codes + [0, 0x3B]
        #expect(try packed(session(Data(bytes)).decode(straight())) == red + green + red + green + green)
    }

    @Test func `codes of impossible sizes are damage`() throws {
        let gif = HandmadeGIF(width: 1, height: 1, frames: [.init(width: 1, height: 1, indices: [0])])
        var bytes = [UInt8](gif.data)
        // The position after screen, colors, control and descriptor.
        let codeSize = 13 + 12 + 8 + 10
        #expect(bytes[codeSize] == 2)
        for size: UInt8 in [0, 12, 255] {
            bytes[codeSize] = size
            #expect(decodingError { _ = try session(Data(bytes)).decode(straight()) }?.fault == .data)
        }
    }
}
