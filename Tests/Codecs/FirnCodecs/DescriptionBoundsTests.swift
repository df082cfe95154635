import FirnImage
import FirnSync
import FoundationEssentials
import FirnSystem
import Testing

@testable import FirnCodecs

/// Tests the limits on what describing a file may cost: bytes read, bytes unpacked, and time.
@Suite struct DescriptionBoundsTests {
    // MARK: PNG

    private let pixel: [UInt8] = [1, 2, 3]

    /// Returns a text chunk with EXIF data as hexadecimal digits.
    private func exifText(isSound: Bool) -> (String, [UInt8]) {
        let text = HandmadePNG.stored(Array("\nexif\n       4\n4d4d002a\n".utf8))
        return ("zTXt", Array("Raw profile type exif\0\0".utf8) + (isSound ? text : Array(text.dropLast(6))))
    }

    @Test func `texts of a PNG are decompressed up to a total size (F29)`() throws {
        for (unsound, isFound) in [(3, true), (4, false)] {
            var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [pixel])
            png.before = [(String, [UInt8])](repeating: exifText(isSound: false), count: unsound)
            png.before.append(exifText(isSound: true))
            let session = try session(png.data)
            #expect((try session.properties()?.exif != nil) == isFound, "\(unsound) unsound texts before a sound one")
            #expect(try packed(session.decode(straight())) == pixel + [255])
        }
    }

    @Test func `one profile of a PNG is unpacked, sound or not`() throws {
        let sound: (String, [UInt8]) = (
            "iCCP", Array("x\0\0".utf8) + HandmadePNG.stored(Array(DecoderSamples.swappedProfile))
        )
        var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [pixel])
        png.before = [("iCCP", Array(sound.1.dropLast(9))), sound]
        #expect(try session(png.data).properties()?.colorProfile == nil)
    }

    @Test func `text that is not needed does not delay the properties`() throws {
        var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [pixel])
        let keyword = Array("Comment\0".utf8)
        png.before = [("tEXt", keyword + [UInt8](repeating: 65, count: 5_000))]
        let data = png.data
        var chain = ByteChain()
        chain.append(data.prefix(200))
        var scanner = PNGScanner()
        try scanner.scan(chain, ImageLimits())
        #expect(scanner.header != nil && scanner.offset > 5_000)
    }

    // MARK: JPEG

    @Test func `fill bytes of a JPEG are read once, in any pieces`() throws {
        let jpeg = HandmadeJPEG(width: 8, height: 8).data
        let fill = 4 << 20
        let file = jpeg.prefix(2) + Data(repeating: 0xFF, count: fill) + jpeg.dropFirst(2)
        let expected = try packed(session(jpeg).decode(straight()))
        let session = try openSession(file)
        let start = DescriptionBoundsTests.threadSeconds
        for offset in stride(from: 0, to: file.count, by: 2_048) {
            try session.append(file[offset..<min(offset + 2_048, file.count)])
            _ = try session.advance(straight())
        }
        session.finish()
        #expect(try packed(session.decode(straight())) == expected)
        // A scan from the first byte at each piece takes a minute in a debug build.
        #expect(DescriptionBoundsTests.threadSeconds - start < 10)
    }

    @Test func `a marker walk does not revisit fill bytes`() {
        var chain = ByteChain()
        chain.append(Data([0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 1_000)))
        var walk = JPEGMarkerWalk()
        guard case .marker(JPEGMarker.startOfImage, _) = walk.next(in: chain), case .needsBytes = walk.next(in: chain)
        else {
            Issue.record("the first marker is not there, or a second one is")
            return
        }
        #expect(walk.position == 1_001)
        chain.append(Data([0xFF, 0xD9]))
        guard case .marker(JPEGMarker.endOfImage, _) = walk.next(in: chain) else {
            Issue.record("the marker behind the fill bytes is not found")
            return
        }
        #expect(walk.position == 1_004)
    }

    @Test func `coded data are passed up to the next marker, however they are split`() {
        let coded: [UInt8] = [1, 0xFF, 0, 2, 0xFF, 0xD3, 3, 0xFF, 0xFF, 0xFF, 0, 4, 0xFF, 0xFF, 0xDA, 9]
        for split in 1...coded.count {
            var chain = ByteChain()
            var walk = JPEGMarkerWalk()
            for start in stride(from: 0, to: coded.count, by: split) {
                let isFound = walk.passCodedData(in: chain)
                #expect(!isFound || walk.position == 13)
                chain.append(Data(coded[start..<min(start + split, coded.count)]))
            }
            let isFound = walk.passCodedData(in: chain)
            #expect(isFound && walk.position == 13, "pieces of \(split)")
        }
    }

    // MARK: TIFF

    #if TIFF
    @Test func `directories that share their values are read for their own bytes only (F29)`() throws {
        let file = DescriptionBoundsTests.directories(40, tags: [700] + Array(65_000..<65_010), valueBytes: 1 << 20)
        let source = CountedSource(file)
        let session = try openSession(file)
        try session.append(contentsOf: source)
        session.finish()
        #expect(try session.frames().count == 40)
        #expect(try session.properties()?.xmp?.count == 1 << 20)
        #expect(try packed(session.decode(straight())).prefix(4) == [0, 0, 0, 255])
        // Reading every value of every directory would be 440 MiB.
        #expect(source.bytesRead < 4 * file.count)
    }

    @Test func `needed values that directories share are read up to four times the file's length`() throws {
        // 347 is the tag of JPEG tables, which libtiff requires.
        let file = DescriptionBoundsTests.directories(40, tags: [347], valueBytes: 2 << 20)
        let source = CountedSource(file)
        let session = try openSession(file)
        try session.append(contentsOf: source)
        session.finish()
        #expect(try session.frames().count > 1)
        #expect(source.bytesRead < 8 * file.count)
    }
    #endif

    /// Returns directories of 4 × 4 black pixels; the `tags` of all of them share the same bytes.
    private static func directories(_ count: Int, tags: [Int], valueBytes: Int) -> Data {
        func little(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        let length = 2 + 12 * (9 + tags.count) + 4
        let start = 8 + length * count
        var entries: [(Int, Int, Int, Int)] = [
            (256, 4, 1, 4), (257, 4, 1, 4), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, start),
            (277, 3, 1, 1), (278, 4, 1, 4), (279, 4, 1, 16),
        ]
        entries += tags.map { ($0, 7, valueBytes, start) }
        entries.sort { $0.0 < $1.0 }
        var bytes: [UInt8] = [0x49, 0x49, 42, 0] + little(8, 4)
        for index in 1...count {
            bytes += little(entries.count, 2)
            for entry in entries {
                bytes += little(entry.0, 2) + little(entry.1, 2) + little(entry.2, 4) + little(entry.3, 4)
            }
            bytes += little(index < count ? 8 + length * index : 0, 4)
        }
        return Data(bytes) + Data(count: valueBytes)
    }

    /// A byte source that counts the bytes read.
    private final class CountedSource: ByteSource {
        private let data: Data
        private let total = Locked(0)

        init(_ data: Data) { self.data = data }

        var count: Int { data.count }
        var bytesRead: Int { total.withLock { $0 } }

        func read(at offset: Int, count: Int) -> Data {
            let bytes = data.dropFirst(offset).prefix(count)
            total.withLock { $0 += bytes.count }
            return bytes
        }
    }

    // MARK: Time

    /// Files with a thousand meaningless parts before their pixels.
    static let longFiles: [(String, Data)] = {
        var png = HandmadePNG(width: 1, height: 1, colorType: 2, rows: [[1, 2, 3]])
        png.before = [(String, [UInt8])](repeating: ("vpAg", []), count: 1_000)
        let gif = HandmadeGIF(width: 1, height: 1, frames: [.init(width: 1, height: 1, indices: [0])]).data
        let comments = [UInt8](repeating: 0, count: 3_000).indices.map { [0x21, 0xFE, 0][$0 % 3] as UInt8 }
        let jpeg = HandmadeJPEG(width: 8, height: 8).data
        let segments = [UInt8](repeating: 0, count: 4_000).indices.map { [0xFF, 0xFE, 0, 2][$0 % 4] as UInt8 }
        var webp = HandmadeWebP(
            width: 1, height: 1, frames: [.init(width: 1, height: 1, pixels: [1, 2, 3, 255])], isStill: true)
        webp.before = [(String, [UInt8])](repeating: ("NONE", []), count: 1_000)
        return [
            ("png", png.data), ("gif", gif.prefix(25) + Data(comments) + gif.dropFirst(25)),
            ("jpeg", jpeg.prefix(2) + Data(segments) + jpeg.dropFirst(2)), ("webp", webp.data),
        ]
    }()

    @Test(arguments: longFiles)
    func `the time limit is checked while a file is described (F29)`(name: String, file: Data) throws {
        #expect(try session(file).properties()?.size.isEmpty == false)
        var limits = ImageLimits()
        limits.maximumDecodingTime = .nanoseconds(-1)
        #expect(decodingError { _ = try session(file, limits: limits).properties() }?.fault == .limit)
    }

    @Test(arguments: longFiles)
    func `describing a file is cancelled`(name: String, file: Data) throws {
        let flag = CancellationFlag()
        let session = try session(file, cancellation: flag)
        flag.cancel()
        #expect(decodingError { _ = try session.properties() }?.fault == .cancelled)
    }

    /// The CPU seconds of this thread.
    private static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
