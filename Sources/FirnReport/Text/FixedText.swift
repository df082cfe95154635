/// Numbers with a fixed number of decimals, without a locale.
package enum FixedText {
    /// `value` rounded to `decimals` places, as in `3.10`.
    ///
    /// Numbers that no `Int` holds after scaling, and those that are no number, are written as Swift writes them.
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

    /// Three significant digits of a number from 1 to 999: `1.23`, `12.3`, `123`.
    package static func significant(_ value: Double) -> String {
        text(value, decimals: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
    }
}
