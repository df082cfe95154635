/// Formats numbers with a fixed number of decimals, independent of the locale.
package enum FixedText {
    /// Returns `value` rounded to `decimals` places, such as `3.10`.
    ///
    /// Numbers beyond `Int` after scaling, infinities and NaN are formatted as Swift does.
    package static func text(_ value: Double, decimals: Int) -> String {
        var scale = 1.0
        for _ in 0..<max(0, decimals) { scale *= 10 }
        guard let scaled = Int(exactly: (abs(value) * scale).rounded()), let factor = Int(exactly: scale) else {
            return "\(value)"
        }
        let sign = value < 0 && scaled != 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % factor)
        let zeros = String(repeating: "0", count: decimals - fraction.count)
        return "\(sign)\(scaled / factor).\(zeros)\(fraction)"
    }

    /// Returns three significant digits of a number from 1 to 999: `1.23`, `12.3`, `123`.
    package static func significant(_ value: Double) -> String {
        text(value, decimals: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
    }
}
