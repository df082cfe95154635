import Firn

extension SRGBColor {
    private static let named: KeyValuePairs = [
        "clear": SRGBColor(red: 0, green: 0, blue: 0, alpha: 0), "black": SRGBColor(red: 0, green: 0, blue: 0),
        "white": SRGBColor(red: 255, green: 255, blue: 255), "gray": SRGBColor(red: 128, green: 128, blue: 128),
        "red": SRGBColor(red: 255, green: 0, blue: 0), "green": SRGBColor(red: 0, green: 128, blue: 0),
        "blue": SRGBColor(red: 0, green: 0, blue: 255), "yellow": SRGBColor(red: 255, green: 255, blue: 0),
        "orange": SRGBColor(red: 255, green: 165, blue: 0),
    ]

    /// The names of all named colors.
    static var names: [String] { named.map(\.key) }

    /// Parses a color name, or a number like `#f80`, `#ff8000`, `#ff800080`; the number sign is optional.
    init?(name: String) {
        if let color = SRGBColor.named.first(where: { $0.key == name })?.value {
            self = color
            return
        }
        let digits = (name.hasPrefix("#") ? name.dropFirst() : name[...]).map { $0.hexDigitValue }
        var values: [UInt8] = []
        switch digits.count {
        case 3, 4:
            for digit in digits { values.append(UInt8(truncatingIfNeeded: (digit ?? 0) * 17)) }
        case 6, 8:
            for index in stride(from: 0, to: digits.count, by: 2) {
                values.append(UInt8(truncatingIfNeeded: (digits[index] ?? 0) * 16 + (digits[index + 1] ?? 0)))
            }
        default: return nil
        }
        if digits.contains(nil) { return nil }
        self.init(red: values[0], green: values[1], blue: values[2], alpha: values.count == 4 ? values[3] : 255)
    }
}
