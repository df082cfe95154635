package import FirnData

/// Which bytes of a kept body a request wants.
///
/// Source: RFC 9110 §14.1.2, §14.2.
package enum ByteRange: Equatable {
    /// All of them: there is no range, or one that is to be ignored.
    case all
    /// These, at least one.
    case some(Range<Int>)
    /// Something that is not served from what is kept: several ranges, or one outside of the body.
    case other

    /// - Parameter length: of the body.
    package init(_ request: HTTPFields, of response: HTTPFields, length: Int) {
        guard let text = request["Range"] else {
            self = .all
            return
        }
        if let condition = request["If-Range"] {
            // A strong tag, or the very time; else the whole (RFC 9110 §13.1.5).
            let isTag = condition.hasSuffix("\"")
            guard response[isTag ? "ETag" : "Last-Modified"] == condition, !condition.hasPrefix("W/") else {
                self = .all
                return
            }
        }
        self = ByteRange.parse(text, length: length)
    }

    private static func parse(_ text: String, length: Int) -> ByteRange {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return .other }
        let specs = FieldList.members(String(parts[1]))
        guard specs.count == 1, let spec = specs.first else { return .other }
        let ends = spec.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .other }
        if ends[0].isEmpty {
            guard let count = number(ends[1]), count > 0, length > 0 else { return .other }
            return .some(max(0, length - count)..<length)
        }
        guard let first = number(ends[0]), first < length else { return .other }
        if ends[1].isEmpty { return .some(first..<length) }
        guard let last = number(ends[1]), last >= first else { return .other }
        return .some(first..<(min(last, length - 1) + 1))
    }

    private static func number(_ text: Substring) -> Int? {
        !text.isEmpty && text.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } ? Int(text) : nil
    }
}
