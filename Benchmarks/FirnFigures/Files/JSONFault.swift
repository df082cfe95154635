/// Finds the line at which a text stops being JSON, so that a person can repair it.
///
/// Source: RFC 8259, sections 2 to 7; any run of number characters counts as a number.
struct JSONFault {
    private let bytes: [UInt8]
    private var at = 0

    /// Returns the line, from 1, of the first byte that fits no value; the last line if something is missing at the
    /// end.
    ///
    /// - Returns: `nil` if the text is one valid value.
    static func line(in bytes: some Sequence<UInt8>) -> Int? {
        var reader = JSONFault(bytes: Array(bytes))
        reader.skipSpace()
        if reader.value(depth: 0), reader.isAtEnd { return nil }
        return reader.bytes[..<reader.at].count { $0 == UInt8(ascii: "\n") } + 1
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }
    private var isAtEnd: Bool { at == bytes.count }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { at += 1 }
    }

    /// Reads one value and the white space after it.
    private mutating func value(depth: Int) -> Bool {
        guard depth < 64, let byte = next, content(byte, depth) else { return false }
        skipSpace()
        return true
    }

    private mutating func content(_ byte: UInt8, _ depth: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "{"):
            return list(to: "}") { reader in
                guard reader.string(), reader.take(":") else { return false }
                return reader.value(depth: depth + 1)
            }
        case UInt8(ascii: "["): return list(to: "]") { $0.value(depth: depth + 1) }
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        default:
            let start = at
            while let byte = next, "+-.0123456789eE".utf8.contains(byte) { at += 1 }
            return at > start
        }
    }

    private mutating func list(to end: Unicode.Scalar, _ element: (inout JSONFault) -> Bool) -> Bool {
        at += 1
        skipSpace()
        if take(end) { return true }
        repeat {
            guard element(&self) else { return false }
            skipSpace()
        } while take(",")
        return take(end)
    }

    private mutating func string() -> Bool {
        guard take("\"", andSpace: false) else { return false }
        while let byte = next, byte != UInt8(ascii: "\n") {
            at += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") {
                skipSpace()
                return true
            }
        }
        at = min(at, bytes.count)
        return false
    }

    private mutating func word(_ word: String) -> Bool {
        guard bytes[at...].starts(with: word.utf8) else { return false }
        at += word.utf8.count
        return true
    }

    private mutating func take(_ character: Unicode.Scalar, andSpace: Bool = true) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        at += 1
        if andSpace { skipSpace() }
        return true
    }
}
