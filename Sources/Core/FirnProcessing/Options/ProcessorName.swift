/// Formats the parts of identifiers: equal values give equal text.
package enum ProcessorName {
    /// Returns the shortest text of a number: `2`, `0.5`, `nan`. Both zeros are `0`.
    package static func number(_ value: Double) -> String {
        if value == 0 { return "0" }
        if let whole = Int(exactly: value) { return "\(whole)" }
        return "\(value)"
    }

    /// Returns the short name in an identifier: `blur` of `firn/blur?r=8`.
    static func short(_ identifier: String) -> String {
        let name = identifier.prefix { $0 != "?" }
        return String(name.hasPrefix("firn/") ? name.dropFirst(5) : name)
    }
}
