/// Text of programs and sources as a part of a key, so that no two lists of parts make the same key.
///
/// Escapes begin with U+0001, which hardly any text has: other texts stay as they are, and so do the keys of entries on
/// disk.
package enum KeyText {
    /// The start of an escape. The character after it says which character it stands for.
    private static let escape: UInt8 = 1
    /// The characters that are escaped. The code of each is the digit of its place, from 0.
    private static let codes = [escape] + Array("|\n[]:".utf8)
    /// Precedes a text that would be taken for another kind of part.
    package static let mark = "\u{1}6"

    /// Returns a text without separators. Different texts have different results.
    ///
    /// - Parameter separators: the characters between parts: `|`, line feed, `[`, `]` or `:`.
    package static func escaped(_ text: String, _ separators: StaticString = "|") -> String {
        guard text.utf8.contains(where: { isSeparator($0, separators) }) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isSeparator(byte, separators), let code = codes.firstIndex(of: byte) {
                bytes += [escape, UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: code)]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @inline(__always)
    private static func isSeparator(_ byte: UInt8, _ separators: StaticString) -> Bool {
        if byte == escape { return true }
        return separators.withUTF8Buffer { $0.contains(byte) }
    }
}
