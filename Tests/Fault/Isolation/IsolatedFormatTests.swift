import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Files that are read in more than one attempt, or of which one part is chosen.
@Suite("Isolated decodes of unusual files")
struct IsolatedFormatTests {
    private static let modes = [DecoderIsolation.all, .complexFormats].map {
        IsolatedImages.isolation("firn-decoder", $0)
    }

    private func pixels(_ bitmap: Bitmap) -> [UInt8] { bitmap.withUnsafeBytes { Array($0) } }

    /// Decodes a file that arrives in pieces.
    private func decode(_ data: Data, inPiecesOf length: Int, _ isolation: DecoderIsolation) throws -> Bitmap {
        let decoders = try ImageDecoders.standard(isolation: isolation)
        let decoder = try #require(decoders.first { $0.recognizes(data.prefix(ImageFormat.sniffLength)) != nil })
        let session = decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        for start in stride(from: 0, to: data.count, by: length) {
            try session.append(data[start..<min(start + length, data.count)])
            _ = try session.advance(DecodingOptions())
        }
        session.finish()
        return try session.decode(DecodingOptions())
    }

    @Test(arguments: modes)
    func `JPEG XL of several groups, in pieces and whole`(isolation: DecoderIsolation) throws {
        // libjxl 0.7 cannot decode it in pieces.
        let data = ModernSamples.groupedJXL
        let own = try pixels(IsolatedImages.decode(data, .none))
        #expect(try pixels(IsolatedImages.decode(data, isolation)) == own)
        for length in [50, 100, 700] { #expect(try pixels(decode(data, inPiecesOf: length, isolation)) == own) }
    }

    @Test(arguments: modes)
    func `L*a*b* TIFF`(isolation: DecoderIsolation) throws {
        let data = tiff([Directory(samples: [255, 0, 0, 128, 0, 0, 0, 0, 0, 140, 40, 200], width: 4, photometric: 8)])
        let own = try pixels(IsolatedImages.decode(data, .none))
        #expect(Array(own.prefix(3)) == [255, 255, 255])
        #expect(try pixels(IsolatedImages.decode(data, isolation)) == own)
    }

    @Test(arguments: modes)
    func `a raw file's main image and its JPEG`(isolation: DecoderIsolation) throws {
        let preview = try Bitmap(size: PixelSize(width: 48, height: 32), format: .rgb8) { pixels in
            for y in 0..<32 {
                pixels.row(y).initializeMemory(as: UInt8.self, repeating: UInt8(8 * y), count: 3 * 48)
            }
        }
        let jpeg = try [UInt8](JPEGEncoder().encode(preview))
        let thumbnail = Directory(samples: [9, 9, 9], width: 1, photometric: 2, isReduced: true)
        let main = Directory(samples: [UInt8](0..<60), width: 20, photometric: 2)
        let sensor = Directory(samples: [UInt8](0..<90), width: 90, photometric: 32_803)
        let embedded = Directory(samples: jpeg, width: 48, photometric: 6, isReduced: true, isJPEG: true)
        for (below, size) in [
            ([sensor, main], PixelSize(width: 20, height: 1)), ([sensor, embedded], PixelSize(width: 48, height: 32)),
        ] {
            let data = tiff([thumbnail] + below)
            let own = try IsolatedImages.decode(data, .none)
            #expect(own.size == size)
            #expect(try pixels(IsolatedImages.decode(data, isolation)) == pixels(own))
        }
    }

    @Test(arguments: modes)
    func `the still beside a track that cannot be decoded`(isolation: DecoderIsolation) throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../Samples/Sequences").standardized
        var data = try Data(contentsOf: folder.appending(path: "still.heics"))
        // The samples are behind the end of the file.
        let chunks = try #require(data.firstRange(of: Data("stco".utf8))).upperBound + 8
        data.replaceSubrange(chunks..<chunks + 4, with: [0, 0x10, 0, 0])
        let own = try IsolatedImages.decode(data, .none)
        #expect(abs(Int(pixels(own)[0]) - 128) <= 2)
        #expect(try pixels(IsolatedImages.decode(data, isolation)) == pixels(own))
    }

    // MARK: TIFF

    /// A directory of one strip of one row of three samples a pixel, or of a JPEG.
    private struct Directory {
        var samples: [UInt8]
        var width: Int
        var photometric: Int
        var isReduced = false
        var isJPEG = false
    }

    /// Returns a file whose first directory is in front, and whose others are below it.
    private func tiff(_ directories: [Directory]) -> Data {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let isColored = directories.map { $0.photometric != 32_803 }
        // Each directory has room for ten entries; the samples follow.
        let room = 2 + 10 * 12 + 4 + 6
        func place(_ index: Int) -> Int { 8 + 4 * directories.count + index * room }
        var file: [UInt8] = Array("II*\0".utf8) + number(place(0), 4)
        for index in directories.indices { file += number(place(index), 4) }
        var offset = place(directories.count)
        for (index, directory) in directories.enumerated() {
            let depths = place(index) + room - 6
            let samples = isColored[index] ? 3 : 1
            var entries = [
                (254, 4, 1, directory.isReduced ? 1 : 0), (256, 4, 1, directory.width),
                (257, 4, 1, directory.isJPEG ? 32 : 1), (258, 3, samples, samples == 3 ? depths : 8),
                (259, 3, 1, directory.isJPEG ? 7 : 1), (262, 3, 1, directory.photometric), (273, 4, 1, offset),
                (277, 3, 1, samples), (279, 4, 1, directory.samples.count),
            ]
            let below = directories.count - 1
            if index == 0, below > 0 { entries.append((330, 4, below, below == 1 ? place(1) : 12)) }
            var bytes = number(entries.count, 2)
            for (tag, type, count, value) in entries {
                bytes += number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4)
            }
            bytes += [UInt8](repeating: 0, count: room - 6 - bytes.count) + number(8, 2) + number(8, 2) + number(8, 2)
            file += bytes
            offset += directory.samples.count
        }
        return Data(file + directories.flatMap(\.samples))
    }
}
