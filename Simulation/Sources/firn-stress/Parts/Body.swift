import FirnData
import FoundationEssentials

/// The bytes that the stress loader serves: a header that describes the body, then filler.
///
/// An address describes all of it: `https://host3.test/7?w=40&h=30&n=5000&kind=ok`.
struct Body {
    enum Kind: String, CaseIterable {
        /// The whole body arrives.
        case ok
        /// The connection breaks halfway.
        case breaks
        /// The image does not exist.
        case missing
        /// The whole body arrives but is not an image.
        case noise
        /// The decoder finds damage.
        case damaged
    }

    let width: Int
    let height: Int
    let length: Int
    let kind: Kind
    static let headLength = 64
    private static let filling = Data(repeating: 0x5a, count: 1 << 16)

    static func url(_ number: Int, width: Int, height: Int, length: Int, kind: Kind) -> String {
        "https://host\(number % 5).test/\(number)?w=\(width)&h=\(height)&n=\(length)&kind=\(kind.rawValue)"
    }

    init?(url: String) {
        var values: [Substring: Substring] = [:]
        guard let query = url.split(separator: "?").last else { return nil }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=")
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        guard let width = Int(values["w"] ?? ""), let height = Int(values["h"] ?? ""),
            let length = Int(values["n"] ?? ""), let kind = Kind(rawValue: String(values["kind"] ?? ""))
        else { return nil }
        self.width = width
        self.height = height
        self.length = max(Body.headLength, length)
        self.kind = kind
    }

    /// Returns the bytes of a range.
    func bytes(_ range: Range<Int>) -> Data {
        var data = Data()
        if range.lowerBound < Body.headLength {
            let name = kind == .noise ? "noise" : "firn-stress"
            var head = Data("\(name) \(width) \(height) \(length) \(kind.rawValue)\n".utf8)
            head.append(Data(repeating: 0x20, count: Body.headLength - head.count))
            data = head[range.lowerBound..<min(range.upperBound, Body.headLength)]
        }
        var left = range.count - data.count
        if data.isEmpty, left <= Body.filling.count { return Body.filling[0..<left] }
        while left > 0 {
            let part = min(left, Body.filling.count)
            data.append(Body.filling[0..<part])
            left -= part
        }
        return data
    }
}
