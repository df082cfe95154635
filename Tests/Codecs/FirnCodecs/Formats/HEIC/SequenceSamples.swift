import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// An image sequence of `Tests/Samples/Sequences`, with its expected frames.
struct SequenceSample: CustomTestStringConvertible, Sendable {
    let name: String
    let size: PixelSize
    let durations: [Int]
    let loops: Int?
    let orientation: Int
    let bits: Int
    let hasAlpha: Bool

    var testDescription: String { name }

    /// All sequences.
    static let all: [SequenceSample] = {
        guard let table = try? Data(contentsOf: folder.appending(path: "expected.tsv")) else { return [] }
        return String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst().compactMap(SequenceSample.init)
    }()

    /// Returns the sequence with this name.
    static func named(_ name: String) throws -> SequenceSample { try #require(all.first { $0.name == name }) }

    private static let folder =
        URL(filePath: #filePath).appending(path: "../../../../../Samples/Sequences").standardized

    private init?(_ line: Substring) {
        let fields = line.split(separator: "\t").map(String.init)
        guard fields.count == 7 else { return nil }
        let sides = fields[1].split(separator: "x").compactMap { Int($0) }
        guard sides.count == 2, let orientation = Int(fields[4]), let bits = Int(fields[5]) else { return nil }
        name = fields[0]
        size = PixelSize(width: sides[0], height: sides[1])
        durations = fields[2].split(separator: ",").compactMap { Int($0) }
        loops = Int(fields[3])
        self.orientation = orientation
        self.bits = bits
        hasAlpha = fields[6] == "yes"
    }

    /// The bytes of the file.
    var data: Data {
        get throws { try Data(contentsOf: SequenceSample.folder.appending(path: "\(name).heics")) }
    }

    /// The expected frames as straight RGBA.
    var frames: [[UInt8]] {
        get throws {
            let strip = try Data(contentsOf: SequenceSample.folder.appending(path: "\(name).png"))
            let pixels = try packed(session(strip).decode(straight()))
            let count = size.area * 4
            return stride(from: 0, to: pixels.count, by: count).map { Array(pixels[$0..<$0 + count]) }
        }
    }
}
