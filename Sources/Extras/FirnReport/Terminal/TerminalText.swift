/// Escapes text for a terminal.
///
/// Names, addresses and messages of servers are untrusted. A terminal would interpret their control characters, and a
/// line break could forge a line.
package enum TerminalText {
    /// Returns `text` in one line, with every character that a terminal would interpret written as an escape.
    ///
    /// | scalar | escape |
    /// |---|---|
    /// | tab, line feed, carriage return | `\t`, `\n`, `\r` |
    /// | other controls (C0, DEL, C1) | `\x1b` |
    /// | a byte of a file name that is not UTF-8 | `\xff` |
    /// | direction marks (Unicode Bidi_Control), line and paragraph separators | `\u{202e}` |
    ///
    /// Backslashes stay. Escaping twice changes nothing.
    package static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var shown = ""
        shown.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if let escape = escape(scalar) { shown += escape } else { shown.unicodeScalars.append(scalar) }
        }
        return shown
    }

    /// Returns the number of columns of `text`: two for wide characters of East Asia and emoji, none for combining
    /// marks.
    package static func columns(_ text: String) -> Int {
        text.reduce(0) { sum, character in
            let scalar = character.unicodeScalars.first?.value ?? 0
            return sum + (wide.contains { $0.contains(scalar) } ? 2 : 1)
        }
    }

    /// Returns whether a terminal interprets a scalar instead of showing it.
    package static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0x09: "\\t"
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        case ..<0xA0 where isObeyed(scalar): "\\x" + hex(scalar.value, digits: 2)
        case _ where isObeyed(scalar): "\\u{\(hex(scalar.value, digits: 4))}"
        default: SystemPath.byte(scalar).map { "\\x" + hex(UInt32($0), digits: 2) }
        }
    }

    /// Returns a number with at least this many hexadecimal digits.
    static func hex(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The scalars that take two columns.
    ///
    /// - Source: Unicode 15, EastAsianWidth.txt, classes W and F, by blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FC,
        0x1F900...0x1F9FF, 0x20000...0x3FFFD,
    ]
}
