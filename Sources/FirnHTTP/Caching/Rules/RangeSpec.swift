/// The one range that a field `Range` asks for.
///
/// Source: RFC 9110 §14.1.2.
package enum RangeSpec: Hashable {
    /// From a byte to the end.
    case from(Int)
    /// From a byte to another, both included.
    case between(Int, Int)
    /// So many bytes at the end.
    case suffix(Int)

    /// Reads the field; `nil` if it is malformed, of another unit than bytes, or asks for several ranges.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let specs = FieldList.members(String(parts[1]))
        guard specs.count == 1, let spec = specs.first else { return nil }
        let ends = spec.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = RangeSpec.number(ends[1]) else { return nil }
            self = .suffix(count)
            return
        }
        guard let first = RangeSpec.number(ends[0]) else { return nil }
        if ends[1].isEmpty {
            self = .from(first)
            return
        }
        guard let last = RangeSpec.number(ends[1]), last >= first, last < .max else { return nil }
        self = .between(first, last)
    }

    private static func number(_ text: Substring) -> Int? {
        !text.isEmpty && text.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } ? Int(text) : nil
    }
}
