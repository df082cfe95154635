package import FirnData

/// The bytes of a stored body that a request selects.
///
/// Source: RFC 9110 §14.1.2, §14.2.
package enum ByteRange: Equatable {
    /// The whole body: there is no range, or one that must be ignored.
    case all
    /// A range of at least one byte.
    case some(Range<Int>)
    /// A request that cannot be served from the store: several ranges, or one outside the body.
    case other

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

    /// Returns whether there is no `If-Range`, or the stored response meets it: a strong tag, or the exact time (RFC
    /// 9110 §13.1.5).
    package static func isMet(_ request: HTTPHeaderFields, by response: HTTPHeaderFields) -> Bool {
        guard let condition = request["If-Range"] else { return true }
        let isTag = condition.hasSuffix("\"")
        return response[isTag ? "ETag" : "Last-Modified"] == condition && !condition.hasPrefix("W/")
    }

    private static func parse(_ text: String, length: Int) -> ByteRange {
        guard let spec = RangeSpec(text) else { return .other }
        return spec.bytes(of: length).map { .some($0) } ?? .other
    }
}
