import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests that copies without metadata have the same coded pixels, and nothing of the metadata.
@Suite struct StrippedFileTests {
    private static let secret = "SECRET"

    /// EXIF data with an orientation, a quarter turn, and a maker.
    private static let exif = Data(
        Array("II*\0".utf8) + [8, 0, 0, 0, 2, 0] + [0x0F, 1, 2, 0, 3, 0, 0, 0, 0x4D, 0x65, 0, 0]
            + [0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0] + [0, 0, 0, 0])

    private static func bitmap(isOpaque: Bool) throws -> Bitmap {
        try Bitmap(size: PixelSize(width: 12, height: 9), format: .rgba8Straight, isOpaque: isOpaque) { pixels in
            for y in 0..<9 {
                for x in 0..<12 {
                    let pixel: [UInt8] = [UInt8(x * 20), UInt8(y * 25), 90, isOpaque ? 255 : UInt8(255 - x * 10)]
                    (pixels.row(y) + x * 4).copyMemory(from: pixel, byteCount: 4)
                }
            }
        }
    }

    private func pixels(_ file: Data) throws -> [UInt8] {
        let decoder = ImageDecoder()
        try decoder.setData(file, allDataReceived: true)
        var options = DecodingOptions()
        options.appliesOrientation = false
        options.pixelFormat = .rgba8Straight
        return try decoder.frame(at: 0, options: options).image().withUnsafeBytes { [UInt8]($0) }
    }

    private func properties(_ file: Data) throws -> ImageProperties {
        let decoder = ImageDecoder()
        try decoder.setData(file, allDataReceived: true)
        return try #require(decoder.properties)
    }

    private func holds(_ text: String, _ file: Data) -> Bool { file.firstRange(of: Data(text.utf8)) != nil }

    private static func chunk(_ name: String, _ content: Data) -> Data {
        Data(name.utf8) + Data((0..<4).map { UInt8(truncatingIfNeeded: content.count >> (8 * $0)) }) + content
            + (content.count % 2 == 1 ? Data([0]) : Data())
    }

    /// Files with EXIF data and a secret in another place that holds metadata.
    private static func files() throws -> [(ImageFormat, Data)] {
        let metadata = EncodingMetadata(exif: exif)
        let (bitmap, never) = (try bitmap(isOpaque: false), CancellationFlag())
        let opaque = try StrippedFileTests.bitmap(isOpaque: true)
        let jpeg = try JPEGEncoder().encode(opaque, metadata: metadata, cancellation: never)
        let comment = Data([0xFF, 0xFE, 0, UInt8(secret.utf8.count + 2)] + Array(secret.utf8))
        let photoshop = Data([0xFF, 0xED, 0, UInt8(secret.utf8.count + 2)] + Array(secret.utf8))
        let png = try PNGEncoder().encode(bitmap, metadata: metadata, cancellation: never)
        let text = Data("Title\0\(secret)".utf8)
        // The checksum of a text is not checked.
        let chunk = Data([0, 0, 0, UInt8(text.count)]) + Data("tEXt".utf8) + text + Data([1, 2, 3, 4])
        var webp = try WebPEncoder(lossless: true).encode(bitmap, metadata: metadata, cancellation: never)
        webp += StrippedFileTests.chunk("XMP ", Data(secret.utf8)) + StrippedFileTests.chunk("none", Data(secret.utf8))
        let length = webp.count - 8
        webp.replaceSubrange(4..<8, with: (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) })
        return [
            (.jpeg, jpeg.prefix(2) + comment + photoshop + jpeg.dropFirst(2) + Data(secret.utf8)),
            (.png, png.prefix(33) + chunk + png.dropFirst(33) + Data(secret.utf8)),
            (.webp, webp + Data(secret.utf8)),
        ]
    }

    @Test func `A copy has the pixels and the profile of the file, and only the EXIF data that it is given`() throws {
        for (format, file) in try StrippedFileTests.files() {
            #expect(holds(StrippedFileTests.secret, file))
            for exif in [StrippedFileTests.exif, nil] {
                let copy = try #require(StrippedFile.copy(file, format: format, exif: exif), "\(format)")
                #expect(!holds(StrippedFileTests.secret, copy), "\(format)")
                #expect(try pixels(copy) == pixels(file), "\(format)")
                let (new, old) = (try properties(copy), try properties(file))
                #expect(new.exif == exif && new.xmp == nil && new.colorProfile == old.colorProfile, "\(format)")
                #expect(new.hasAlpha == old.hasAlpha && new.size == old.size, "\(format)")
                // A copy of a copy changes nothing.
                #expect(StrippedFile.copy(copy, format: format, exif: exif) == copy, "\(format)")
            }
        }
    }

    @Test func `A simple WebP stays as it is, or gets a header for its orientation`() throws {
        let bitmap = try Self.bitmap(isOpaque: true)
        let file = try WebPEncoder(lossless: true).encode(
            bitmap, metadata: EncodingMetadata(), cancellation: CancellationFlag())
        #expect(StrippedFile.copy(file, format: .webp, exif: nil) == file)
        let copy = try #require(StrippedFile.copy(file, format: .webp, exif: StrippedFile.exif(.left)))
        #expect(try properties(copy).orientation == .left && pixels(copy) == pixels(file))
    }

    @Test func `A file that is cut short is not copied`() throws {
        for (format, file) in try StrippedFileTests.files() {
            let whole = try #require(StrippedFile.copy(file, format: format, exif: nil))
            for length in 0..<whole.count {
                let cut = StrippedFile.copy(whole.prefix(length), format: format, exif: nil)
                #expect(cut == nil, "\(format) \(length)")
            }
        }
    }

    @Test func `Any changed byte of a file is copied or refused, and harms nothing`() throws {
        for (format, file) in try StrippedFileTests.files() {
            for place in file.indices {
                var changed = file
                changed[place] ^= 0xFF
                let copy = StrippedFile.copy(changed, format: format, exif: StrippedFileTests.exif)
                #expect(copy.map { $0.count < file.count + 64 } ?? true)
            }
        }
    }

    @Test func `Without all EXIF data the orientation stays`() throws {
        let all = try #require(StrippedFile.exif(.right))
        #expect(!holds("Me", all))
        let jpeg = try #require(StrippedFileTests.files().first).1
        let copy = try #require(StrippedFile.copy(jpeg, format: .jpeg, exif: all))
        #expect(try properties(copy).orientation == .right)
        #expect(StrippedFile.exif(.up) == nil)
    }
}
