/// Percent-encoding of addresses.
///
/// Source: RFC 3986 §2.1, §2.3.
package enum PercentEncoding {
    /// Returns the bytes with each `%XX` replaced by its byte. A `%` without two hexadecimal digits stays.
    package static func decoded(_ text: some Collection<UInt8>) -> [UInt8] { replaced(text).bytes }

    /// Like ``decoded(_:)``, but returns `nil` for a `%` without two hexadecimal digits.
    package static func strictlyDecoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        let (bytes, isValid) = replaced(text)
        return isValid ? bytes : nil
    }

    /// Returns the text with every byte as `%XX` in upper case, except unreserved bytes and those in `kept`.
    package static func encoded(_ bytes: some Sequence<UInt8>, keeping kept: String = "") -> String {
        encoded(bytes) { isUnreserved($0) || kept.utf8.contains($0) }
    }

    /// Returns the text with every byte for which `isKept` returns false as `%XX`.
    package static func encoded(_ bytes: some Sequence<UInt8>, where isKept: (UInt8) -> Bool) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.underestimatedCount)
        for byte in bytes {
            if isKept(byte) { out.append(byte) } else { append(byte, to: &out) }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Appends a byte as `%XX` in upper case.
    package static func append(_ byte: UInt8, to out: inout [UInt8]) {
        let digit: (UInt8) -> UInt8 = { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "A") - 10 + $0 }
        out += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
    }

    /// Returns whether a byte never needs encoding: letters, digits, `-`, `.`, `_` and `~`.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    package static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func replaced(_ text: some Collection<UInt8>) -> (bytes: [UInt8], isValid: Bool) {
        let bytes = Array(text)
        guard bytes.contains(UInt8(ascii: "%")) else { return (bytes, true) }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var isValid = true
        var i = 0
        while i < bytes.count {
            let isEscape = bytes[i] == UInt8(ascii: "%")
            if isEscape, i + 2 < bytes.count, let high = hexadecimalValue(bytes[i + 1]),
                let low = hexadecimalValue(bytes[i + 2])
            {
                out.append(high << 4 | low)
                i += 3
            } else {
                isValid = isValid && !isEscape
                out.append(bytes[i])
                i += 1
            }
        }
        return (out, isValid)
    }
}

extension FixedWidthInteger {
    /// Reads decimal digits; returns `nil` for other text and for numbers out of range.
    @inlinable package init?(digits: some Collection<UInt8>) {
        guard !digits.isEmpty else { return nil }
        self = 0
        for byte in digits {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let (tens, isLarge) = multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = tens.addingReportingOverflow(Self(truncatingIfNeeded: byte & 0x0F))
            guard !isLarge, !isLarger else { return nil }
            self = sum
        }
    }
}

extension [UInt8] {
    /// Reads pairs of hexadecimal digits.
    ///
    /// - Returns: `nil` for an odd number of digits or other characters.
    package init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.compactMap { PercentEncoding.hexadecimalValue($0) }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension Sequence<UInt8> {
    /// The bytes as pairs of lower-case hexadecimal digits.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
