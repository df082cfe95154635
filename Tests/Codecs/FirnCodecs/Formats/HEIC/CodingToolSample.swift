import CFirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// A file of `Tests/Samples/CodingTools`, with what ffmpeg decodes from it.
struct CodingToolSample: CustomTestStringConvertible, Sendable {
    let file: String
    let size: PixelSize
    let chroma: String
    let bits: Int
    let frames: Int
    let checksum: String

    var testDescription: String { file }
    var isStill: Bool { file.hasSuffix(".heic") }

    /// All files.
    static let all: [CodingToolSample] = {
        guard let table = try? Data(contentsOf: folder.appending(path: "expected.tsv")) else { return [] }
        return String(decoding: table, as: UTF8.self).split(separator: "\n").dropFirst()
            .compactMap(CodingToolSample.init)
    }()

    private static let folder =
        URL(filePath: #filePath).appending(path: "../../../../../Samples/CodingTools").standardized

    private init?(_ line: Substring) {
        let fields = line.split(separator: "\t").map(String.init)
        guard fields.count == 6, let bits = Int(fields[3]), let frames = Int(fields[4]) else { return nil }
        let sides = fields[1].split(separator: "x").compactMap { Int($0) }
        guard sides.count == 2 else { return nil }
        file = fields[0]
        size = PixelSize(width: sides[0], height: sides[1])
        chroma = fields[2]
        self.bits = bits
        self.frames = frames
        checksum = fields[5]
    }

    /// Returns the sample of a file.
    static func named(_ file: String) throws -> CodingToolSample { try #require(all.first { $0.file == file }) }

    var data: Data {
        get throws { try Data(contentsOf: CodingToolSample.folder.appending(path: file)) }
    }

    /// The units of the stream: those of the configuration and the only image of a still, or those after start codes.
    var units: [[UInt8]] {
        get throws {
            let bytes = try [UInt8](data)
            guard isStill else { return CodingToolSample.unitsAfterStartCodes(bytes) }
            let configuration = try #require(CodingToolSample.place(after: "hvcC", in: bytes))
            var found: [[UInt8]] = []
            var at = configuration + 23
            for _ in 0..<bytes[configuration + 22] {
                // A type, the number of units, which is one here, and its length.
                let length = Int(bytes[at + 3]) << 8 | Int(bytes[at + 4])
                found.append(Array(bytes[at + 5..<at + 5 + length]))
                at += 5 + length
            }
            at = try #require(CodingToolSample.place(after: "mdat", in: bytes))
            while at < bytes.count {
                let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
                found.append(Array(bytes[at + 4..<at + 4 + length]))
                at += 4 + length
            }
            return found
        }
    }

    private static func place(after type: String, in bytes: [UInt8]) -> Int? {
        Data(bytes).firstRange(of: Data(type.utf8))?.upperBound
    }

    private static func unitsAfterStartCodes(_ bytes: [UInt8]) -> [[UInt8]] {
        let starts = bytes.indices.dropLast(3).filter { bytes[$0...].starts(with: [0, 0, 1]) }.map { $0 + 3 }
        return zip(starts, starts.dropFirst().map { $0 - 3 } + [bytes.count]).map { start, end in
            var unit = bytes[start..<end]
            while unit.last == 0 { unit.removeLast() }
            return Array(unit)
        }
    }

    /// The checksum (FNV-1a) of all planes that libde265 decodes, and the number of images.
    func decodedPlanes() throws -> (checksum: String, frames: Int) {
        let decoder = try #require(firn_hevc_open())
        defer { firn_hevc_close(decoder) }
        for unit in try units { #expect(firn_hevc_push(decoder, unit, unit.count, 0) == FIRN_OK) }
        firn_hevc_end(decoder)
        var (sum, frames) = (UInt64(14_695_981_039_346_656_037), 0)
        var status = firn_hevc_step(decoder)
        while status == FIRN_OK {
            var image = firn_planes()
            var number: Int64 = 0
            if firn_hevc_image(decoder, &image, &number) {
                frames += 1
                for plane in [image.planes.0, image.planes.1, image.planes.2] {
                    guard let base = plane.base else { continue }
                    let row = Int(plane.width) * (plane.bits > 8 ? 2 : 1)
                    for y in 0..<Int(plane.height) {
                        for x in 0..<row { sum = (sum ^ UInt64(base[y * plane.stride + x])) &* 1_099_511_628_211 }
                    }
                }
                firn_hevc_drop(decoder)
            }
            status = firn_hevc_step(decoder)
        }
        #expect(status == FIRN_END)
        let text = String(sum, radix: 16)
        return (String(repeating: "0", count: 16 - text.count) + text, frames)
    }
}
