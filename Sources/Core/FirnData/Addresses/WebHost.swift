import CIDN2
import FirnSystem

/// Reads hosts of addresses.
///
/// - Source: WHATWG URL standard, section 3.5; IPv6 text by RFC 5952.
enum WebHost {
    /// Returns the host in normal form: an ASCII name, four decimal numbers, or an IPv6 address in brackets. Returns
    /// `nil` for an empty or malformed host, and for a name that no lookup can have.
    static func parsed(_ text: ArraySlice<UInt8>) -> String? {
        if text.first == UInt8(ascii: "[") {
            guard text.count > 2, text.last == UInt8(ascii: "]") else { return nil }
            return version6(String(decoding: text.dropFirst().dropLast(), as: UTF8.self))
        }
        let bytes = text.contains(UInt8(ascii: "%")) ? PercentEncoding.decoded(text) : Array(text)
        guard let name = ascii(bytes), !name.isEmpty, !name.utf8.contains(where: isForbidden) else { return nil }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let labels = parts.last == "" && parts.count > 1 ? parts.dropLast() : parts[...]
        guard let last = labels.last, isNumber(last) else { return name }
        return version4(labels)
    }

    /// Returns a name in lower-case ASCII, with `xn--` labels for non-ASCII ones.
    private static func ascii(_ bytes: [UInt8]) -> String? {
        guard let name = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else { return nil }
        if isPlain(bytes) { return name.lowercased() }
        var out: UnsafeMutablePointer<CChar>?
        guard idn2_to_ascii_8z(name, &out, Int32(IDN2_NONTRANSITIONAL.rawValue)) == IDN2_OK.rawValue, let out else {
            return nil
        }
        defer { idn2_free(out) }
        return String(validatingCString: out)?.lowercased()
    }

    /// Returns whether a name is ASCII without encoded labels.
    private static func isPlain(_ bytes: [UInt8]) -> Bool {
        var isStart = true
        for (i, byte) in bytes.enumerated() {
            guard byte < 0x80 else { return false }
            if isStart, byte | 0x20 == UInt8(ascii: "x"), bytes[i...].prefix(4).map({ $0 | 0x20 }) == Array("xn--".utf8)
            {
                return false
            }
            isStart = byte == UInt8(ascii: ".")
        }
        return true
    }

    /// Returns whether host names must not contain a byte.
    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || "#/:<>?@[\\]^|%".utf8.contains(byte)
    }

    private static func isNumber(_ label: Substring) -> Bool {
        !label.isEmpty && label.utf8.allSatisfy { ($0 & 0xF0) == 0x30 && $0 < 0x3A } || number(label) != nil
    }

    /// Returns the value of a part in decimal, hexadecimal (`0x`) or octal (`0`) digits, at most 2^32.
    private static func number(_ part: Substring) -> UInt64? {
        var digits = part
        var radix: UInt8 = 10
        if part.hasPrefix("0x") {
            (digits, radix) = (part.dropFirst(2), 16)
        } else if part.hasPrefix("0"), part.utf8.count > 1 {
            (digits, radix) = (part.dropFirst(), 8)
        } else if part.isEmpty {
            return nil
        }
        var value: UInt64 = 0
        for byte in digits.utf8 {
            guard let digit = PercentEncoding.hexadecimalValue(byte), digit < radix else { return nil }
            value = min(value * UInt64(radix) + UInt64(digit), 1 << 32)
        }
        return value
    }

    /// Returns the address of one to four numbers; the last one fills the remaining bytes: `127.1` is `127.0.0.1`.
    private static func version4(_ parts: ArraySlice<Substring>) -> String? {
        let numbers = parts.prefix(5).compactMap { number($0) }
        guard parts.count <= 4, numbers.count == parts.count, let last = numbers.last,
            numbers.dropLast().allSatisfy({ $0 < 256 }), last < 1 << (8 * UInt64(5 - numbers.count))
        else { return nil }
        var address = last
        for (i, number) in numbers.dropLast().enumerated() { address |= number << (24 - 8 * UInt64(i)) }
        return [24, 16, 8, 0].map { String(address >> $0 & 255) }.joined(separator: ".")
    }

    private static func version6(_ text: String) -> String? {
        var address = in6_addr()
        guard text.utf8.allSatisfy({ $0 != 0 }), inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: &address) { Array($0) }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        // Omits the first of the longest runs of at least two zeros.
        var run = 0..<0
        var start = 0
        for i in 0...8 where i == 8 || groups[i] != 0 {
            if i - start > max(run.count, 1) { run = start..<i }
            start = i + 1
        }
        let hex = { (groups: ArraySlice<UInt16>) in groups.map { String($0, radix: 16) }.joined(separator: ":") }
        if run.isEmpty { return "[" + hex(groups[...]) + "]" }
        return "[" + hex(groups[..<run.lowerBound]) + "::" + hex(groups[run.upperBound...]) + "]"
    }
}
