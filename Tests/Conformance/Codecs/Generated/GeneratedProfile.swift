import FirnImage
import FoundationEssentials

/// ICC profiles of three kinds, which move every color far.
///
/// - Source: ICC.1:2022 §7.2 (header), §7.3 (tags), §10.6 (curves), §10.31 (XYZ).
enum GeneratedProfile {
    /// The primaries of sRGB in another order, and a gamma of 1.4.
    static let rgb = profile(
        "RGB ",
        [
            ("wtpt", xyz(0.9642, 1, 0.8249)), ("rXYZ", xyz(0.1431, 0.0606, 0.7141)),
            ("gXYZ", xyz(0.4361, 0.2225, 0.0139)), ("bXYZ", xyz(0.3851, 0.7169, 0.0971)), ("rTRC", gamma(1.4)),
            ("gTRC", gamma(1.4)), ("bTRC", gamma(1.4)),
        ])

    /// A gamma of 1.
    static let gray = profile("GRAY", [("wtpt", xyz(0.9642, 1, 0.8249)), ("kTRC", gamma(1))])

    /// A table that gives the green sample as lightness, without color.
    ///
    /// - Source: ICC.1:2022 §10.11 (lut8Type). Its Lab has lightness from 0 to 255, and no color at 128.
    static let table: Data = {
        let identity: [Int] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
        let curve = [UInt8](0...255)
        var content: [UInt8] = Array("mft1".utf8) + big(0, 4)
        content += [3, 3, 2, 0]
        for factor in identity { content += big(factor << 16, 4) }
        for _ in 0..<3 { content += curve }
        // The first sample varies least often.
        for corner in 0..<8 { content += [corner & 2 == 0 ? 0 : 255, 128, 128] }
        for _ in 0..<3 { content += curve }
        return profile("RGB ", [("wtpt", xyz(0.9642, 1, 0.8249)), ("A2B0", content)], connection: "Lab ")
    }()

    private static func profile(
        _ space: String, _ tags: [(String, [UInt8])], connection: String = "XYZ "
    ) -> Data {
        var table = big(tags.count, 4)
        var content: [UInt8] = []
        let start = 128 + 4 + tags.count * 12
        for (name, tag) in tags {
            table += Array(name.utf8) + big(start + content.count, 4) + big(tag.count, 4)
            content += tag
        }
        var header = big(start + content.count, 4) + big(0, 4) + big(0x0240_0000, 4)
        header += Array("mntr".utf8) + Array(space.utf8) + Array(connection.utf8)
        header += [UInt8](repeating: 0, count: 12) + Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
        header += xyz(0.9642, 1, 0.8249).suffix(12)
        header += [UInt8](repeating: 0, count: 128 - header.count)
        return Data(header + table + content)
    }

    private static func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
        Array("XYZ ".utf8) + big(0, 4) + [x, y, z].flatMap { big(Int(($0 * 65536).rounded()), 4) }
    }

    private static func gamma(_ gamma: Double) -> [UInt8] {
        // A curve of one entry is a gamma with eight bits behind the point.
        Array("curv".utf8) + big(0, 4) + big(1, 4) + big(Int((gamma * 256).rounded()), 2) + [0, 0]
    }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ((count - 1 - $0) * 8)) }
    }
}
