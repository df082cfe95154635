import FoundationEssentials

/// Reads and writes the text encodings of paths. All functions take linear time.
enum ImgproxyText {
    /// Returns base64url without padding (RFC 4648 section 5).
    static func base64URL(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        swapped(Data(bytes).base64EncodedData().filter { $0 != UInt8(ascii: "=") }, "+/", "-_")
    }

    /// Decodes base64url after cutting trailing `=`. Returns nil for other characters and impossible lengths.
    static func base64URLDecoded(_ text: some BidirectionalCollection<UInt8>) -> [UInt8]? {
        guard !text.contains(where: { "+/".utf8.contains($0) }) else { return nil }
        var digits = swapped(text, "-_", "+/")
        while digits.last == UInt8(ascii: "=") { digits.removeLast() }
        digits += repeatElement(UInt8(ascii: "="), count: -digits.count & 3)
        return Data(base64Encoded: Data(digits)).map { Array($0) }
    }

    private static func swapped(_ text: some Sequence<UInt8>, _ from: String, _ to: String) -> [UInt8] {
        let pairs = Dictionary(uniqueKeysWithValues: zip(from.utf8, to.utf8))
        return text.map { pairs[$0] ?? $0 }
    }

    /// Returns a finite decimal number. Refuses `nan`, `inf`, hexadecimal forms and more than 32 characters.
    static func number(_ text: String) -> Double? {
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ "0123456789.-+eE".utf8.contains($0) }),
            let value = Double(text), value.isFinite
        else { return nil }
        return value
    }

    /// Returns whether `text` is a true boolean. Anything unknown is false.
    static func isTrue(_ text: String) -> Bool { ["1", "t", "T", "TRUE", "true", "True"].contains(text) }
}
