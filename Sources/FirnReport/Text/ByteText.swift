/// Formats numbers of bytes with three significant digits and a decimal unit.
package enum ByteText {
    /// Returns `0 B`, `999 B`, `1.50 kB`, `12.3 MB`, `480 GB`.
    package static func text(_ bytes: Int) -> String {
        var value = Double(max(0, bytes))
        guard value >= 1000 else { return "\(max(0, bytes)) B" }
        for unit in ["kB", "MB", "GB", "TB", "PB"] {
            value /= 1000
            // 999.5 would be rounded to "1000", so the next unit is used.
            if value < 999.5 || unit == "PB" { return "\(FixedText.significant(value)) \(unit)" }
        }
        return "\(bytes) B"
    }
}
