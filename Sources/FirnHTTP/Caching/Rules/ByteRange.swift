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
    package init(_ request: HTTPHeaderFields, of response: HTTPHeaderFields, length: Int) {
        guard let text = request["Range"] else {
            self = .all
            return
        }
        guard ByteRange.isMet(request, by: response) else {
            self = .all
            return
        }
        self = ByteRange.parse(text, length: length)
    }

    /// Whether there is no `If-Range`, or what is kept meets it: a strong tag, or the very time (RFC 9110 §13.1.5).
    package static func isMet(_ request: HTTPHeaderFields, by response: HTTPHeaderFields) -> Bool {
        guard let condition = request["If-Range"] else { return true }
        let isTag = condition.hasSuffix("\"")
        return response[isTag ? "ETag" : "Last-Modified"] == condition && !condition.hasPrefix("W/")
    }

    private static func parse(_ text: String, length: Int) -> ByteRange {
        guard let spec = RangeSpec(text) else { return .other }
        switch spec {
        case .suffix(let count):
            return count > 0 && length > 0 ? .some(max(0, length - count)..<length) : .other
        case .from(let first): return first < length ? .some(first..<length) : .other
        case .between(let first, let last):
            return first < length ? .some(first..<(min(last, length - 1) + 1)) : .other
        }
    }
}
