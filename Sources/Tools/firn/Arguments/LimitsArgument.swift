/// Limits of the cost of images: `pixels=50M,time=5`.
struct LimitsArgument: ExpressibleByArgument {
    /// The default limits with the named ones replaced.
    private(set) var limits = ImageLimits()

    static let help = ArgumentHelp(
        """
        Refuse images beyond limits: bytes, pixels, frames, memory and result are numbers with K, M or G; time is in \
        seconds, such as 0.5.
        """,
        valueName: "name=n,…")

    /// The numeric limits: the name of the option, the name in the library's messages, and the value of `K`.
    private static let numbers: [(name: String, limit: String, step: Int, path: any NumberPath)] = [
        ("bytes", "maximumBytes", 1_024, \.maximumBytes), ("pixels", "maximumPixels", 1_000, \.maximumPixels),
        ("frames", "maximumFrames", 1_000, \.maximumFrames),
        ("memory", "maximumWorkingBytes", 1_024, \.maximumWorkingBytes),
        ("result", "maximumResultBytes", 1_024, \.maximumResultBytes),
    ]

    private typealias NumberPath = WritableKeyPath<ImageLimits, Int> & Sendable

    init?(argument: String) {
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2 else { return nil }
            if sides[0] == "time" {
                guard let seconds = Double(sides[1]), seconds >= 0.001, seconds <= 1e9 else { return nil }
                limits.maximumDecodingTime = .seconds(seconds)
                continue
            }
            guard let limit = LimitsArgument.numbers.first(where: { $0.name == sides[0] }),
                let value = LimitsArgument.number(sides[1], step: limit.step)
            else { return nil }
            limits[keyPath: limit.path] = value
        }
    }

    /// Adds to a message the option that raises the limit in it.
    static func naming(_ message: String) -> String {
        let names = numbers.map { ($0.name, $0.limit) } + [("time", "maximumDecodingTime")]
        guard !message.hasSuffix(" raises it"),
            let (name, _) = names.first(where: { message.contains("ImageLimits.\($0.1)") })
        else { return message }
        return "\(message); --limits \(name)=… raises it"
    }

    /// Parses a number with a unit: `64M` is 64 × 2^20 bytes, but 64,000,000 pixels.
    private static func number(_ text: Substring, step: Int) -> Int? {
        let units: [Character: Int] = ["K": step, "M": step * step, "G": step * step * step]
        guard let (number, unit) = text.uppercased().number(Int.self, in: units), number > 0 else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        return overflow ? nil : value
    }
}
