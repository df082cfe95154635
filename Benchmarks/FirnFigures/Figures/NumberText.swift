/// Formats the numbers of figures for people and for files.
package enum NumberText {
    /// Returns at most three decimal places.
    package static func rounded(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }

    /// Rounds to four significant digits, so that files differ only where figures do; to six just below one, as for
    /// similarity.
    ///
    /// NaN and infinity are returned unchanged.
    package static func significant(_ value: Double) -> Double {
        guard value.isFinite, value != 0 else { return value }
        var scale = 1.0
        let most = isJustBelowOne(value) ? 1e6 : 10_000
        while abs(value) * scale < most / 10, scale < 1e30 { scale *= 10 }
        while abs(value) * scale >= most, scale > 1e-30 { scale /= 10 }
        return (value * scale).rounded() / scale
    }

    /// Returns three significant digits: `0.00123`, `0.27`, `12.3`, `4230`; five just below one: `0.99951`.
    package static func short(_ value: Double) -> String {
        guard value.isFinite else { return "none" }
        guard value != 0 else { return "0" }
        var scale = 1.0
        let least = isJustBelowOne(value) ? 10_000.0 : 100
        while abs(value) * scale < least, scale < 1e30 { scale *= 10 }
        let number = (value * scale).rounded() / scale
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func isJustBelowOne(_ value: Double) -> Bool { (0.99..<1).contains(abs(value)) }

    /// Formats a relative change: `+12 %`, `−22 %`.
    package static func percent(_ share: Double) -> String {
        guard let whole = Int(exactly: (share * 100).rounded()) else { return "much" }
        return whole < 0 ? "−\(-whole) %" : "+\(whole) %"
    }
}
