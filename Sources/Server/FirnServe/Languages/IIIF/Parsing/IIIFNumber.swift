import FirnData

/// Reads the numbers of IIIF requests: digits and at most one period; no sign, exponent or space.
///
/// Source: IIIF Image API 3.0, sections 4.1 to 4.3.
enum IIIFNumber {
    /// The largest integer that is read, 2^31-1. The product of two of them fits 64 bits.
    static let maximum = Int(Int32.max)

    /// The integer that stands for 1 in the results of ``decimal(_:)``.
    static let unit = 1_000_000

    /// Reads an integer of digits. Returns nil for anything else and above ``maximum``.
    static func integer(_ text: some Collection<UInt8>) -> Int? {
        Int(digits: text).flatMap { $0 <= maximum ? $0 : nil }
    }

    /// Reads a decimal number in millionths. Digits beyond the sixth decimal are checked and ignored.
    ///
    /// Returns nil for anything but digits with at most one period before a digit, and above 1,000,000.
    static func decimal(_ text: some Collection<UInt8>) -> Int? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, text.count <= 40 else { return nil }
        guard parts.count == 2 else { return integer(first).flatMap(millionths) }
        guard let whole = first.isEmpty ? 0 : integer(first), let base = millionths(whole), !parts[1].isEmpty else {
            return nil
        }
        var weight = unit
        var fraction = 0
        for byte in parts[1] {
            guard let digit = Int(digits: CollectionOfOne(byte)) else { return nil }
            weight /= 10
            fraction += digit * weight
        }
        return base + fraction
    }

    private static func millionths(_ whole: Int) -> Int? { whole <= 1_000_000 ? whole * unit : nil }

    /// Reads exactly `count` numbers with commas between them.
    static func list(_ text: some Collection<UInt8>, count: Int, number: (ArraySlice<UInt8>) -> Int?) -> [Int]? {
        let parts = Array(text).split(
            separator: UInt8(ascii: ","), maxSplits: count, omittingEmptySubsequences: false)
        guard parts.count == count else { return nil }
        let values = parts.compactMap(number)
        return values.count == count ? values : nil
    }
}
