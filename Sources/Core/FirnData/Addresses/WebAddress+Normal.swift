extension WebAddress {
    /// Returns whether an address is already normalized, at a fraction of the parser's cost. May return false for a
    /// normalized address.
    static func isNormal(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { normalHost($0) != nil } ?? false
    }

    /// Returns the scheme, host and port of a normalized address; `nil` for others, and for some normalized ones.
    package static func normalOrigin(_ text: String) -> (isSecure: Bool, host: String, port: Int?)? {
        text.utf8.withContiguousStorageIfAvailable { bytes -> (Bool, String, Int?)? in
            guard let host = normalHost(bytes) else { return nil }
            let name = host.prefix { $0 != UInt8(ascii: ":") }
            let digits = host[name.endIndex...].dropFirst()
            let port = digits.isEmpty ? nil : digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
            return (host.startIndex == 8, String(decoding: name, as: UTF8.self), port)
        } ?? nil
    }

    /// Returns the host and port of a normalized address, which follow its scheme.
    private static func normalHost(_ bytes: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>>? {
        let start = bytes.starts(with: "https://".utf8) ? 8 : bytes.starts(with: "http://".utf8) ? 7 : 0
        guard start > 0, let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) else { return nil }
        return isNormal(host: bytes[start..<end]) && isNormal(path: bytes[end...]) ? bytes[start..<end] : nil
    }

    /// Returns whether the host is an ASCII name or an IPv4 address, with or without a port. Other numbers and encoded
    /// names are left to the parser.
    private static func isNormal(host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let name = host.prefix { $0 != UInt8(ascii: ":") }
        let digits = host[name.endIndex...].dropFirst()
        if !digits.isEmpty {
            guard digits.count < 5 || digits.count == 5 && !"65535".utf8.lexicographicallyPrecedes(digits),
                digits.first != UInt8(ascii: "0"), digits.allSatisfy(isDigit),
                !digits.elementsEqual("80".utf8), !digits.elementsEqual("443".utf8)
            else { return false }
        }
        // The normal form omits a colon without digits.
        guard digits.isEmpty == (name.count == host.count), let last = name.last else { return false }
        guard isLetter(last) else { return isVersion4(name) }
        var isStart = true
        for byte in name {
            guard
                isLetter(byte) && !(isStart && byte == UInt8(ascii: "x")) || isDigit(byte) || "-._".utf8.contains(byte)
            else { return false }
            isStart = byte == UInt8(ascii: ".")
        }
        // The last label must not be a hexadecimal number.
        return !name.reversed().prefix { $0 != UInt8(ascii: ".") }.contains { isDigit($0) }
    }

    /// Returns whether the name is four decimal numbers without leading zeros.
    private static func isVersion4(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let numbers = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { UInt8(digits: $0) != nil && ($0.count == 1 || $0.first != UInt8(ascii: "0")) }
    }

    private static func isNormal(path: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var former: UInt8 = 0
        for byte in path {
            // A segment that begins with a dot or an escape may be `.` or `..`.
            if former == UInt8(ascii: "/"), byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return false }
            guard byte > 0x20, byte < 0x7F, !isChanged(byte) else { return false }
            former = byte
        }
        return true
    }

    /// Returns whether a byte of a path or query is encoded or has a special meaning.
    private static func isChanged(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
