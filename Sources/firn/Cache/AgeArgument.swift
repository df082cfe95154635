import ArgumentParser

/// A duration: a number with `s`, `m`, `h` or `d`.
struct AgeArgument: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let last = argument.last, let unit = units[last], let number = Int64(argument.dropLast()), number >= 0,
            number <= 1_000_000
        else { return nil }
        duration = .seconds(number * unit)
    }
}
