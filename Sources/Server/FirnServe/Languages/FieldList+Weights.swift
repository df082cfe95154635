extension FieldList {
    /// Returns the quality values of a field such as `Accept`, in thousandths by lower-case name: 1000 if a member has
    /// none, 0 if it is malformed. Reads at most 64 members.
    ///
    /// - Source: RFC 9110 §12.4.2, §12.5.1, §12.5.3.
    static func weights(_ field: String) -> [String: Int] {
        let weights = members(field).prefix(64).compactMap { member -> (String, Int)? in
            let parts = member.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            return parts.first.map { ($0, (0...1).contains(quality) ? Int(quality * 1000) : 0) }
        }
        return Dictionary(weights, uniquingKeysWith: max)
    }
}
