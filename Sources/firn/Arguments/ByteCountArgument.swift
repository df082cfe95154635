import ArgumentParser

/// A number of bytes, such as `200000`, `200k` or `1.5M`: K, M and G are powers of 1,024, as for `--limits`.
struct ByteCountArgument: ExpressibleByArgument {
    let bytes: Int

    init?(argument: String) {
        let units: [Character: Double] = ["k": 1_024, "m": 1_048_576, "g": 1_073_741_824]
        let unit = argument.lowercased().last.flatMap { units[$0] }
        guard let number = Double(unit == nil ? argument : String(argument.dropLast())),
            let bytes = Int(exactly: (number * (unit ?? 1)).rounded()), bytes > 0
        else { return nil }
        self.bytes = bytes
    }
}
