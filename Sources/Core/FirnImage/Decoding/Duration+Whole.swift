import FirnSync

extension Duration {
    /// The duration in nanoseconds without a fraction, at the limits of 64 bits (292 years) if it lies beyond.
    package var wholeNanoseconds: Int64 { whole(perSecond: 1_000_000_000) }

    /// The duration in milliseconds, rounded to nearest, at the limits of 64 bits if it lies beyond.
    package var wholeMilliseconds: Int {
        let rounded = saturatingAdd(.microseconds(self < .zero ? -500 : 500))
        return Int(clamping: rounded.whole(perSecond: 1_000))
    }

    /// Returns the sum, at the limits of 64 bits of seconds (292 billion years) if it lies beyond.
    package func saturatingAdd(_ other: Duration) -> Duration {
        let seconds = components.seconds.saturatingAdd(other.components.seconds)
        // The fractions of both are less than two seconds.
        let isWithin = seconds < Int64.max - 2 && seconds > Int64.min + 2
        return isWithin ? self + other : .seconds(seconds)
    }

    /// Returns the duration in units of which a second has `units`, without a fraction.
    private func whole(perSecond units: Int64) -> Int64 {
        let (seconds, rest) = components
        let fraction = rest / (1_000_000_000_000_000_000 / units)
        return seconds.saturatingMultiply(units).saturatingAdd(fraction)
    }
}
