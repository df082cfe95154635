/// Formats times and sizes.
enum ReportAmount {
    static func time(_ time: Duration) -> String {
        let value = time / .nanoseconds(1)
        if value < 1e6 { return "\(rounded(value / 1e3)) µs" }
        if value < 1e9 { return "\(rounded(value / 1e6)) ms" }
        return "\(rounded(value / 1e9)) s"
    }

    static func bytes(_ count: Int) -> String {
        let value = Double(count)
        if value < 1e3 { return "\(count) B" }
        if value < 1e6 { return "\(rounded(value / 1e3)) kB" }
        if value < 1e9 { return "\(rounded(value / 1e6)) MB" }
        return "\(rounded(value / 1e9)) GB"
    }

    /// Three digits.
    private static func rounded(_ value: Double) -> String {
        if value >= 100 { return String(Int(value.rounded())) }
        let digits: Double = value >= 10 ? 10 : 100
        let number = (value * digits).rounded() / digits
        return number == number.rounded() ? String(Int(number)) : String(number)
    }
}
