import FirnHTTP

/// The part of a result that a client gets: a value, without effects.
///
/// - Source: RFC 9110 §13.1.2, §13.1.5, §14.2.
package enum ResponsePlan: Sendable, Equatable {
    /// 200 with everything.
    case whole
    /// 206 with a range of bytes.
    case part(Range<Int>)
    /// 304: the client has it.
    case notModified
    /// 416: the range lies behind the end.
    case notSatisfiable

    /// - Parameters:
    ///   - ifNoneMatch, range, ifRange: the request's fields; `nil` if they are missing.
    ///   - entityTag: the strong validator of the result.
    ///   - count: its bytes.
    package init(ifNoneMatch: String?, range: String?, ifRange: String?, entityTag: String, count: Int) {
        let tags = ifNoneMatch.map { FieldList.members($0) } ?? []
        if tags == ["*"] || tags.contains(where: { EntityTag.isSame($0, entityTag) }) {
            self = .notModified
        } else if let range, ifRange == nil || ifRange == entityTag, let spec = RangeSpec(range) {
            self = spec.bytes(of: count).map { .part($0) } ?? .notSatisfiable
        } else {
            // Several ranges, and other units, are ignored.
            self = .whole
        }
    }
}
