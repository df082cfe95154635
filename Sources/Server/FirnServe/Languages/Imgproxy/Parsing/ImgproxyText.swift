/// Reads and writes the text encodings of paths. All functions take linear time.
enum ImgproxyText {
    /// Returns base64url without padding (RFC 4648 section 5).
    static func base64URL(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var result: [UInt8] = []
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = (pending & 0x3F) << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                result.append(alphabet[Int(pending >> UInt32(bits) & 0x3F)])
            }
        }
        if bits > 0 { result.append(alphabet[Int(pending << UInt32(6 - bits) & 0x3F)]) }
        return result
    }

    /// Decodes base64url after cutting trailing `=`. Returns nil for other characters and impossible lengths.
    static func base64URLDecoded(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        let end = text.lastIndex { $0 != UInt8(ascii: "=") }.map { text.index(after: $0) } ?? text.startIndex
        let digits = text[..<end]
        guard digits.count % 4 != 1 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(digits.count / 4 * 3 + 2)
        var pending: UInt32 = 0
        var bits = 0
        for digit in digits {
            guard let value = base64Value(digit) else { return nil }
            pending = (pending & 0xFF) << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                result.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
            }
        }
        return result
    }

    private static func base64Value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }

    /// Returns a finite decimal number. Refuses `nan`, `inf`, hexadecimal forms and more than 32 characters.
    static func number(_ text: String) -> Double? {
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ isDecimal($0) }), let value = Double(text), value.isFinite
        else { return nil }
        return value
    }

    private static func isDecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// Returns whether `text` is a true boolean. Anything unknown is false.
    static func isTrue(_ text: String) -> Bool { ["1", "t", "T", "TRUE", "true", "True"].contains(text) }
}
