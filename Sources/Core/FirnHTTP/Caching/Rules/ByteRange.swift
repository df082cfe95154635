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
        if let text = request["Range"], ByteRange.isMet(request, by: response) {
            self = RangeSpec(text)?.bytes(of: length).map { ByteRange.some($0) } ?? .other
        } else {
            self = .all
        }
    }

    /// Returns whether there is no `If-Range`, or the stored response meets it: a strong tag, or the exact time (RFC
    /// 9110 §13.1.5).
    package static func isMet(_ request: HTTPHeaderFields, by response: HTTPHeaderFields) -> Bool {
        guard let condition = request["If-Range"] else { return true }
        let isTag = condition.hasSuffix("\"")
        return response[isTag ? "ETag" : "Last-Modified"] == condition && !condition.hasPrefix("W/")
    }
}
