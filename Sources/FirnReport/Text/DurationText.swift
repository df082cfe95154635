import FirnSync

/// Formats durations.
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

    private static func twoDigits(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

extension Duration {
    /// The duration in seconds.
    package var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// The duration in milliseconds.
    package var milliseconds: Double { seconds * 1000 }
}
