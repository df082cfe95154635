/// What of a result a client gets: a value, without effects (RFC 9110 §13, §14).
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
        if let ifNoneMatch, EntityTagList(ifNoneMatch).contains(entityTag) {
            self = .notModified
            return
        }
        guard let range, ifRange == nil || ifRange == entityTag else {
            self = .whole
            return
        }
        self = ResponsePlan.part(range, count)
    }

    /// Reads one range of bytes; several ranges and other units count as none.
    private static func part(_ field: String, _ count: Int) -> ResponsePlan {
        guard field.hasPrefix("bytes=") else { return .whole }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .whole }
        switch (number(ends[0]), number(ends[1])) {
        case (let first?, let last?) where first <= last:
            return first < count ? .part(first..<min(last, count - 1) + 1) : .notSatisfiable
        case (let first?, nil) where ends[1].isEmpty: return first < count ? .part(first..<count) : .notSatisfiable
        case (nil, let length?) where ends[0].isEmpty:
            return length > 0 && count > 0 ? .part(max(0, count - length)..<count) : .notSatisfiable
        default: return .whole
        }
    }

    /// Digits only; numbers that do not fit are the largest.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text) ?? Int.max - 1
    }
}
