/// The single range of a `Range` field.
///
/// Source: RFC 9110 §14.1.2.
package enum RangeSpec: Hashable {
    /// From a byte to the end.
    case from(Int)
    /// From a byte to another, inclusive.
    case between(Int, Int)
    /// The last bytes, by number.
    case suffix(Int)

    /// Reads the field; returns `nil` if it is malformed, in a unit other than bytes, or names several ranges.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let specs = FieldList.members(String(parts[1]))
        guard specs.count == 1, let spec = specs.first else { return nil }
        let ends = spec.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (RangeSpec.number(ends[0]), RangeSpec.number(ends[1])) {
        case (nil, let count?) where ends[0].isEmpty: self = .suffix(count)
        case (let first?, nil) where ends[1].isEmpty: self = .from(first)
        case (let first?, let last?) where last >= first: self = .between(first, last)
        default: return nil
        }
    }

    /// Returns the value of decimal digits. Numbers beyond any body are clamped.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        return min(Int(text) ?? .max, .max - 1)
    }

    /// Returns the selected bytes of a body of `length` bytes; `nil` if the range is outside it.
    package func bytes(of length: Int) -> Range<Int>? {
        switch self {
        case .suffix(let count): count > 0 && length > 0 ? max(0, length - count)..<length : nil
        case .from(let first): first < length ? first..<length : nil
        case .between(let first, let last): first < length ? first..<(min(last, length - 1) + 1) : nil
        }
    }

    /// Returns whether there is no `If-Range`, or the stored response matches it: a strong tag, or the exact time (RFC
    /// 9110 §13.1.5).
    package static func isMet(_ request: HTTPHeaderFields, by response: HTTPHeaderFields) -> Bool {
        guard let condition = request["If-Range"] else { return true }
        let isTag = condition.hasSuffix("\"")
        return response[isTag ? "ETag" : "Last-Modified"] == condition && !condition.hasPrefix("W/")
    }
}
