import FirnSync

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

package enum CountText {
    /// Returns `1 entry`, `2 entries`.
    package static func text(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }
}

package enum DurationText {
    /// Returns `40 µs`, `1.5 ms`, `23 ms`, `1.50 s`, `2 min 05 s`, `3 h 07 min`.
    package static func text(_ duration: Duration) -> String {
        let seconds = max(0, duration.seconds)
        switch seconds {
        case ..<0.000_9995: return "\(FixedText.text(seconds * 1e6, decimals: 0)) µs"
        case ..<0.00995: return "\(FixedText.text(seconds * 1000, decimals: 1)) ms"
        case ..<0.9995: return "\(FixedText.text(seconds * 1000, decimals: 0)) ms"
        case ..<99.95: return "\(FixedText.significant(seconds)) s"
        default:
            let whole = Int(saturating: min(seconds, 1e9).rounded())
            if whole < 3600 { return "\(whole / 60) min \(twoDigits(whole % 60)) s" }
            return "\(whole / 3600) h \(twoDigits(whole / 60 % 60)) min"
        }
    }

    static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

extension Duration {
    package var seconds: Double { self / .seconds(1) }

    package var milliseconds: Double { seconds * 1000 }
}
