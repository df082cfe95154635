import ArgumentParser
import Firn

/// Limits of the cost of images, on the command line: `pixels=50M,time=5`.
struct LimitsArgument: ExpressibleByArgument {
    enum Name: String, CaseIterable {
        case bytes, pixels, frames, memory, result, time
    }

    private let values: [(Name, Int)]
    private let time: Duration?

    static let help = ArgumentHelp(
        """
        Refuse images beyond limits: bytes, pixels, frames, memory and result take a number with K, M or G, time takes \
        seconds, as 0.5.
        """,
        valueName: "name=n,…")

    init?(argument: String) {
        var values: [(Name, Int)] = []
        var time: Duration?
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, let name = Name(rawValue: String(sides[0])) else { return nil }
            if name == .time {
                guard let seconds = Double(sides[1]), seconds >= 0.001, seconds <= 1e9 else { return nil }
                time = .seconds(seconds)
                continue
            }
            guard let value = LimitsArgument.number(sides[1], isBinary: name != .pixels && name != .frames)
            else { return nil }
            values.append((name, value))
        }
        self.values = values
        self.time = time
    }

    /// Returns the limits with the named ones replaced.
    func applied(to limits: ImageLimits) -> ImageLimits {
        var limits = limits
        for (name, value) in values {
            switch name {
            case .bytes: limits.maximumBytes = value
            case .pixels: limits.maximumPixels = value
            case .frames: limits.maximumFrames = value
            case .memory: limits.maximumWorkingBytes = value
            case .result: limits.maximumResultBytes = value
            case .time: break
            }
        }
        if let time { limits.maximumDecodingTime = time }
        return limits
    }

    /// The options for the limits that messages of the library name.
    private static let options: [(limit: String, name: Name)] = [
        ("maximumBytes", .bytes), ("maximumPixels", .pixels), ("maximumFrames", .frames),
        ("maximumWorkingBytes", .memory), ("maximumResultBytes", .result), ("maximumDecodingTime", .time),
    ]

    /// Returns a message with the option that raises the limit that it names.
    static func naming(_ message: String) -> String {
        guard !message.hasSuffix(" raises it") else { return message }
        for option in options where message.contains("ImageLimits.\(option.limit)") {
            return "\(message); --limits \(option.name.rawValue)=… raises it"
        }
        return message
    }

    /// Reads a number with a unit: `64M` is 64 × 2^20 bytes, but 64,000,000 pixels.
    private static func number(_ text: Substring, isBinary: Bool) -> Int? {
        let step = isBinary ? 1_024 : 1_000
        let units: [Character: Int] = ["K": step, "M": step * step, "G": step * step * step]
        guard let (number, unit) = text.uppercased().number(Int.self, in: units), number > 0 else { return nil }
        let (value, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        return overflow ? nil : value
    }
}
