import ArgumentParser

/// A time limit: seconds, with an optional fraction, or a number with `s`, `m` or `h`.
struct TimeLimitArgument: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600]
        let unit = argument.last.flatMap { units[$0] }
        guard let number = Double(unit == nil ? argument : String(argument.dropLast())) else { return nil }
        let seconds = number * (unit ?? 1)
        guard seconds > 0, seconds <= 1_000_000 else { return nil }
        duration = .seconds(seconds)
    }
}
