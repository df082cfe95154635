import FirnSync

extension Duration {
    /// The duration in milliseconds, rounded to nearest, at the limits of 64 bits if it lies beyond.
    package var wholeMilliseconds: Int {
        let (seconds, rest) = saturatingAdd(.microseconds(self < .zero ? -500 : 500)).components
        return Int(clamping: seconds.saturatingMultiply(1_000).saturatingAdd(rest / 1_000_000_000_000_000))
    }

    /// Returns the sum, at the limits of 64 bits of seconds (292 billion years) if it lies beyond.
    package func saturatingAdd(_ other: Duration) -> Duration {
        let seconds = components.seconds.saturatingAdd(other.components.seconds)
        // The fractions of both are less than two seconds.
        let isWithin = seconds < Int64.max - 2 && seconds > Int64.min + 2
        return isWithin ? self + other : .seconds(seconds)
    }
}
