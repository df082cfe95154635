/// Numbers of figures for people and for files.
package enum NumberText {
    /// Three digits behind the point at the most.
    package static func rounded(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }

    /// Four digits that count, so that files differ where figures do; six of what is just below one, as likeness is.
    ///
    /// What is no number, or has no end, stays what it is.
    package static func significant(_ value: Double) -> Double {
        guard value.isFinite, value != 0 else { return value }
        var scale = 1.0
        let most = isJustBelowOne(value) ? 1e6 : 10_000
        while abs(value) * scale < most / 10, scale < 1e30 { scale *= 10 }
        while abs(value) * scale >= most, scale > 1e-30 { scale /= 10 }
        return (value * scale).rounded() / scale
    }

    /// Three digits that count, shortly: `0.00123`, `0.27`, `12.3`, `4230`; five of what is just below one: `0.99951`.
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

    /// A share as it is said of changes: `+12 %`, `−22 %`.
    package static func percent(_ share: Double) -> String {
        guard let whole = Int(exactly: (share * 100).rounded()) else { return "much" }
        return whole < 0 ? "−\(-whole) %" : "+\(whole) %"
    }
}
