import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// A kind of file with a table whose length a test chooses.
struct FileTable: CustomTestStringConvertible, Sendable {
    let name: String
    /// The most entries that the format, or a test's time, allows.
    var most = 100_000
    /// True if no more than a fixed number of entries is read.
    var isBounded = false
    /// True if the first frame is decoded, too.
    var decodes = false
    let file: @Sendable (Int) -> Data

    var testDescription: String { name }

    /// The lengths that are tried: 1,000, 10,000, and so on.
    var lengths: [Int] { [1_000, 10_000, 100_000, 1_000_000].filter { $0 <= most } }

    /// All kinds.
    static let all: [FileTable] =
        ofPNG + ofGIF + ofWebP + [
            FileTable(name: "ICO entries", most: 60_000) { count in
                let image = HandmadeBMP(width: 1, height: 2, bits: 32, rows: [[1, 2, 3, 255]])
                let entry = image.dib + image.pixels + [0, 0, 0, 0]
                let place = [UInt8](repeating: 0, count: 8) + little(entry.count, 4) + little(6 + count * 16, 4)
                return Data(little(0, 2) + little(1, 2) + little(count, 2)) + repeated(place, count) + Data(entry)
            },
            FileTable(name: "BMP codes", decodes: true) { count in
                // A code of one pixel, the end of the row.
                let codes = [UInt8](repeated([1, 0, 0, 0], count)) + [0, 1]
                return HandmadeBMP(width: 1, height: count, bits: 8, compression: 1, rows: [codes]).data
            },
            FileTable(name: "QOI rows", decodes: true) { count in
                let sides = HandmadePNG.big(1, 4) + HandmadePNG.big(count, 4)
                return Data(Array("qoif".utf8) + sides + [4, 0]) + repeated([0xFE, 1, 2, 3], count)
            },
            FileTable(name: "JPEG segments") { count in
                let jpeg = HandmadeJPEG(width: 8, height: 8).data
                return jpeg.prefix(2) + repeated([0xFF, 0xFE, 0, 2], count) + jpeg.dropFirst(2)
            },
        ] + ofTIFF + ofHEIC

    private static let ofPNG: [FileTable] = [
        FileTable(name: "PNG chunks", most: 1_000_000) { count in
            let png = HandmadePNG(width: 1, height: 1, colorType: 0, rows: [[1]]).data
            return png.prefix(33) + repeated(HandmadePNG.chunk("tEXt", [65, 0, 66]), count) + png.dropFirst(33)
        },
        FileTable(name: "APNG chunks of a frame") { count in
            animated(frames: 1) + Data((0..<count).flatMap { piece($0 + 1) } + HandmadePNG.chunk("IEND", []))
        },
        FileTable(name: "APNG frames") { count in
            var frames: [UInt8] = []
            for frame in 1..<count { frames += control(2 * frame - 1) + piece(2 * frame) }
            return animated(frames: count) + Data(piece(0) + frames + HandmadePNG.chunk("IEND", []))
        },
    ]

    /// Returns the start of an animation whose poster is no frame, up to the first frame's control chunk.
    private static func animated(frames: Int) -> Data {
        var png = HandmadePNG(width: 1, height: 1, colorType: 0, rows: [[1]])
        png.before = [("acTL", HandmadePNG.big(frames, 4) + HandmadePNG.big(0, 4))]
        return png.data.dropLast(12) + Data(control(0))
    }

    private static func control(_ number: Int) -> [UInt8] {
        let sides = [number, 1, 1, 0, 0].flatMap { HandmadePNG.big($0, 4) }
        return [0, 0, 0, 26] + Array("fcTL".utf8) + sides + [0, 1, 0, 10, 0, 0] + [0, 0, 0, 0]
    }

    private static func piece(_ number: Int) -> [UInt8] {
        [0, 0, 0, 5] + Array("fdAT".utf8) + HandmadePNG.big(number, 4) + [0] + [0, 0, 0, 0]
    }

    private static let ofGIF: [FileTable] = [
        FileTable(name: "GIF extensions", most: 1_000_000) { count in
            gif.prefix(25) + repeated([0x21, 0xFE, 1, 65, 0], count) + gif.dropFirst(25)
        },
        FileTable(name: "GIF sub-blocks", most: 1_000_000) { count in
            gif.prefix(25) + Data([0x21, 0xFE]) + repeated([1, 65], count) + Data([0]) + gif.dropFirst(25)
        },
        FileTable(name: "GIF frames") { count in
            gif.dropLast() + repeated([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0], count) + Data([0x3B])
        },
    ]

    /// A GIF whose blocks begin at offset 25.
    private static var gif: Data {
        HandmadeGIF(width: 1, height: 1, frames: [HandmadeGIF.Frame(width: 1, height: 1, indices: [1])]).data
    }

    private static let ofWebP: [FileTable] = [
        FileTable(name: "WebP chunks", most: 1_000_000) { count in
            var file = webP(isStill: true)
            file.insert(contentsOf: repeated(Array("none".utf8) + [0, 0, 0, 0], count), at: 30)
            return sized(file)
        },
        FileTable(name: "WebP frames") { count in
            let file = webP(isStill: false)
            // The header of the file, of the canvas, and of the animation; then the frame.
            return sized(file.prefix(44) + repeated(Array(file.dropFirst(44)), count))
        },
    ]

    private static func webP(isStill: Bool) -> Data {
        let frame = HandmadeWebP.Frame(width: 1, height: 1, pixels: [1, 2, 3, 255])
        return HandmadeWebP(width: 1, height: 1, frames: [frame], isStill: isStill).data
    }

    /// Returns a WebP file with the right length in its header.
    private static func sized(_ file: Data) -> Data {
        var file = Data(file)
        file.replaceSubrange(4..<8, with: HandmadeWebP.little(file.count - 8, 4))
        return file
    }

    private static let ofTIFF: [FileTable] = [
        FileTable(name: "TIFF directories", most: 10_000) { count in
            let length = 2 + 9 * 12 + 4
            var file = Data(Array("II".utf8) + little(42, 2) + little(8, 4))
            for page in 1...count {
                file.append(contentsOf: directory(height: 1, offsets: 8, lengths: 1))
                file.append(contentsOf: little(page == count ? 0 : 8 + page * length, 4))
            }
            return file
        },
        FileTable(name: "TIFF strips", decodes: true) { count in
            let end = 8 + 2 + 9 * 12 + 4
            let head = Array("II".utf8) + little(42, 2) + little(8, 4)
            let page = directory(height: count, offsets: end, lengths: end + 4 * count)
            return Data(head + page + little(0, 4)) + repeated(little(8, 4), count) + repeated(little(1, 4), count)
        },
    ]

    /// Returns a directory of a gray image one pixel wide, with a strip for each row.
    private static func directory(height: Int, offsets: Int, lengths: Int) -> [UInt8] {
        let entries = [
            (256, 1, 1), (257, 1, height), (258, 1, 8), (259, 1, 1), (262, 1, 1), (273, height, offsets), (277, 1, 1),
            (278, 1, 1), (279, height, lengths),
        ]
        return little(entries.count, 2)
            + entries.flatMap { tag, count, value in little(tag, 2) + little(4, 2) + little(count, 4) + little(value, 4)
            }
    }

    private static let ofHEIC: [FileTable] = [
        FileTable(name: "HEIF brands", most: 1_000_000, isBounded: true) { count in
            var file = HandmadeSequence(handler: "vide").data
            // Order: brands are added in bulk, because they are many.
            let added = repeated(Array("hevc".utf8), count)
            file.replaceSubrange(0..<4, with: HandmadePNG.big(20 + added.count, 4))
            file.insert(contentsOf: added, at: 20)
            return file
        },
        FileTable(name: "HEIF brands of 64 tracks", isBounded: true) { count in
            HandmadeSequence(brands: [String](repeating: "abcd", count: count), handler: "vide", tracks: 64).data
        },
        FileTable(name: "HEIF samples and edits that show nothing") { count in
            let edit = HandmadeSequence.Edit(duration: 1, start: Int(Int32.max))
            return HandmadeSequence(samples: count, edits: [HandmadeSequence.Edit](repeating: edit, count: count)).data
        },
        FileTable(name: "HEIF samples, all of which are held") { count in
            let edits = (0..<count).map { HandmadeSequence.Edit(duration: 1, start: $0, dwells: true) }
            return HandmadeSequence(samples: count, edits: edits).data
        },
        FileTable(name: "HEIF samples without slices", most: 20_000, decodes: true) { count in
            // Messages of one byte, two in each sample; the last sample is held.
            let edit = HandmadeSequence.Edit(duration: 1000, start: Int(Int32.max), dwells: true)
            var file = HandmadeSequence(
                samples: count, sampleBytes: 20, chunks: [Int](repeating: 0, count: count), edits: [edit],
                media: [UInt8](repeating: 0, count: count * 20))
            let start = file.head.count
            file.chunks = (0..<count).map { start + $0 * 20 }
            let units: [UInt8] = [0, 0, 0, 6, 0x4E, 1, 0, 0, 0, 0, 0, 0, 0, 6, 0x4E, 1, 0, 0, 0, 0]
            file.media = [UInt8](repeated(units, count))
            return file.data
        },
    ]

    /// Returns bytes, `count` times.
    static func repeated(_ bytes: [UInt8], _ count: Int) -> Data {
        var data = Data(capacity: bytes.count * count)
        for _ in 0..<count { data.append(contentsOf: bytes) }
        return data
    }
}
