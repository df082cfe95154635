import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Tests that files get another orientation and keep everything else.
@Suite struct OrientationTagTests {
    /// EXIF data with a maker, and with an orientation if `orientation` is not nil.
    private static func exif(_ orientation: UInt8?, isBig: Bool = false) -> Data {
        let entries: [[UInt8]] = [
            isBig ? [1, 0x0F, 0, 2, 0, 0, 0, 3, 0x4D, 0x65, 0, 0] : [0x0F, 1, 2, 0, 3, 0, 0, 0, 0x4D, 0x65, 0, 0],
            isBig
                ? [1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation ?? 0, 0, 0]
                : [0x12, 1, 3, 0, 1, 0, 0, 0, orientation ?? 0, 0, 0, 0],
        ]
        let count = UInt8(orientation == nil ? 1 : 2)
        let start: [UInt8] = isBig ? [0, 0x2A, 0, 0, 0, 8, 0, count] : [0x2A, 0, 8, 0, 0, 0, count, 0]
        return Data(
            (isBig ? [0x4D, 0x4D] : [0x49, 0x49]) + start + entries.prefix(Int(count)).joined() + [0, 0, 0, 0])
    }

    private static func bitmap() throws -> Bitmap {
        try Bitmap(size: PixelSize(width: 3, height: 2), format: .rgb8) { pixels in
            for y in 0..<2 {
                for x in 0..<3 {
                    (pixels.row(y) + x * 3).copyMemory(from: [UInt8(y * 3 + x) * 40, 9, 9], byteCount: 3)
                }
            }
        }
    }

    private static func files(_ exif: Data?) throws -> [(ImageFormat, Data)] {
        let (bitmap, never) = (try bitmap(), CancellationFlag())
        let metadata = EncodingMetadata(exif: exif)
        return [
            (.jpeg, try JPEGEncoder().encode(bitmap, metadata: metadata, cancellation: never)),
            (.png, try PNGEncoder().encode(bitmap, metadata: metadata, cancellation: never)),
            (.webp, try WebPEncoder(lossless: true).encode(bitmap, metadata: metadata, cancellation: never)),
            (.webp, try WebPEncoder(lossless: false).encode(bitmap, metadata: metadata, cancellation: never)),
            (.tiff, try TIFFEncoder().encode(bitmap, metadata: EncodingMetadata(), cancellation: never)),
        ]
    }

    private func decoder(_ file: Data) throws -> ImageDecoder {
        let decoder = ImageDecoder()
        try decoder.setData(file, allDataReceived: true)
        return decoder
    }

    /// The first samples of the pixels, row by row.
    private func samples(_ file: Data, isOriented: Bool = false) throws -> [[UInt8]] {
        var options = DecodingOptions()
        options.appliesOrientation = isOriented
        options.pixelFormat = .rgb8
        let image = try decoder(file).frame(at: 0, options: options).image()
        return image.withUnsafeBytes { bytes in
            (0..<image.size.height).map { y in
                (0..<image.size.width).map { bytes[y * image.bytesPerRow + $0 * 3] }
            }
        }
    }

    private func turned(_ file: Data, _ orientation: ImageOrientation) -> Data? {
        guard let properties = try? decoder(file).properties else { return nil }
        return OrientationTag.copy(file, properties, orientation: orientation)
    }

    @Test func `Every orientation is stored in every format, with and without EXIF data before`() throws {
        for exif in [
            nil, OrientationTagTests.exif(nil), OrientationTagTests.exif(6), OrientationTagTests.exif(nil, isBig: true),
            OrientationTagTests.exif(3, isBig: true),
        ] {
            for (format, file) in try OrientationTagTests.files(exif) {
                let pixels = try samples(file)
                var copy = file
                for orientation in ImageOrientation.allCases.reversed() {
                    let former = copy
                    copy = try #require(
                        turned(copy, orientation), "\(format)")
                    let properties = try #require(try decoder(copy).properties)
                    #expect(properties.orientation == orientation, "\(format)")
                    #expect(try samples(copy) == pixels, "\(format)")
                    // From the second time on, only the number changes.
                    if orientation != .left { #expect(copy.count == former.count, "\(format)") }
                    if exif != nil, format != .tiff {
                        #expect(copy.firstRange(of: Data("Me\0".utf8)) != nil, "\(format)")
                        let directories = try #require(properties.exif.flatMap { EXIFDirectories($0) })
                        #expect(directories.text(0x010F, in: directories.first) != nil, "\(format)")
                    }
                }
            }
        }
    }

    @Test func `An orientation is inserted behind the JFIF segment, and before all other parts of a JPEG`() throws {
        let file = try #require(try OrientationTagTests.files(nil).first?.1)
        let copy = try #require(turned(file, .right))
        #expect(copy.prefix(20) == file.prefix(20))
        #expect(Array(copy.dropFirst(20).prefix(2)) == [0xFF, 0xE1])
        #expect(copy.suffix(file.count - 20) == file.suffix(file.count - 20))
    }

    @Test func `Mirroring and rotating the displayed image change its orientation`() throws {
        let file = try #require(try OrientationTagTests.files(nil).first { $0.0 == .png }?.1)
        func shown(_ orientation: ImageOrientation) throws -> [[UInt8]] {
            let copy = try #require(turned(file, orientation))
            return try samples(copy, isOriented: true)
        }
        for orientation in ImageOrientation.allCases {
            let before = try shown(orientation)
            for mirrored in [false, true] {
                var expected = mirrored ? before.map { $0.reversed() } : before
                for turns in 0..<4 {
                    let new = orientation.changed(mirrored: mirrored, quarterTurns: turns)
                    #expect(try shown(new) == expected, "\(orientation) \(mirrored) \(turns)")
                    expected = try #require(expected.first).indices.map { x in expected.reversed().map { $0[x] } }
                }
            }
        }
    }

    @Test func `Damaged files and other formats are refused`() throws {
        for (format, file) in try OrientationTagTests.files(OrientationTagTests.exif(6)) {
            for count in [0, 4, 11, 13, 30, 40] {
                let copy = turned(file.prefix(count), .down)
                #expect(copy == nil, "\(format) \(count)")
            }
            // Damaged at any place, it gives a copy or nothing.
            for index in stride(from: 0, to: min(file.count, 120), by: 1) {
                var damaged = file
                damaged[index] ^= 0xFF
                _ = turned(damaged, .down)
            }
        }
    }
}
