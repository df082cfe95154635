import ArgumentParser

/// The quality of a lossy format: from 0 to 1, or in percent above 1.
struct QualityArgument: ExpressibleByArgument {
    /// From 0 to 1.
    let value: Double

    init?(argument: String) {
        guard let number = Double(argument), number >= 0, number <= 100 else { return nil }
        value = number > 1 ? number / 100 : number
    }
}
