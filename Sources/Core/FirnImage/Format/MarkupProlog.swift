/// Finds the first element of an XML document after white space, comments, processing instructions and a document type.
/// Takes linear time, in one pass.
///
/// All relevant characters are ASCII, so the document is scanned as bytes. UTF-16 characters beyond ASCII become a byte
/// that matches no name.
///
/// - Source: XML 1.0 §2.8 (prolog), §2.5, §2.6, §4.3.3 and appendix F (encodings).
struct MarkupProlog {
    enum Verdict {
        /// The first element is `svg`.
        case svg
        case other
        /// The bytes end before the first element and may still be SVG.
        case undecided
    }

    private let bytes: [UInt8]
    private var index = 0

    static func verdict(of bytes: [UInt8]) -> Verdict {
        var prolog = MarkupProlog(bytes: ascii(bytes))
        return prolog.verdict()
    }

    /// Returns the characters as bytes, without a byte order mark.
    private static func ascii(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 2 else { return bytes }
        switch (bytes[0], bytes[1]) {
        case (0xEF, 0xBB) where bytes.count >= 3 && bytes[2] == 0xBF: return Array(bytes[3...])
        case (0xFF, 0xFE): return units(bytes[2...], low: 0)
        case (0xFE, 0xFF): return units(bytes[2...], low: 1)
        case (let first, 0) where first != 0: return units(bytes[...], low: 0)
        case (0, let second) where second != 0: return units(bytes[...], low: 1)
        default: return bytes
        }
    }

    /// Returns the UTF-16 code units as bytes.
    ///
    /// - Parameter low: the index of the low byte in a unit.
    private static func units(_ bytes: ArraySlice<UInt8>, low: Int) -> [UInt8] {
        stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { start in
            let (unit, high) = (bytes[start + low], bytes[start + 1 - low])
            return high == 0 ? unit : 0xFF
        }
    }

    private mutating func verdict() -> Verdict {
        var isMarkup = false
        while true {
            skipSpace()
            guard index < bytes.count else { return isMarkup ? .undecided : .other }
            if take("<!--") {
                guard skip(past: "-->") else { return .undecided }
            } else if take("<?") {
                // PHP code is not XML, although it starts like it.
                if starts("php") || starts("=") { return .other }
                guard skip(past: "?>") else { return .undecided }
            } else if take("<!DOCTYPE") {
                skipSpace()
                let name = name()
                guard skipDocumentType() else {
                    return index < bytes.count || !isDrawing(name) ? .other : .undecided
                }
            } else if take("<") {
                if isDrawing(name()) { return .svg }
                // The bytes may end within a comment's or a name's first characters.
                return isMarkup && index == bytes.count ? .undecided : .other
            } else {
                return .other
            }
            isMarkup = true
        }
    }

    private func isDrawing(_ name: ArraySlice<UInt8>) -> Bool {
        name.elementsEqual("svg".utf8) || name.suffix(4).elementsEqual(":svg".utf8)
    }

    // MARK: Steps

    private static let nameEnds = Array(">/[".utf8)

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private mutating func skipSpace() {
        while index < bytes.count, MarkupProlog.isSpace(bytes[index]) { index += 1 }
    }

    private func starts(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[index...].starts(with: $0) }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        guard starts(text) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    /// Skips past the next `text`, which ends with `>`; returns false if there is none.
    private mutating func skip(past text: StaticString) -> Bool {
        while index < bytes.count {
            if take(text) { return true }
            index += 1
        }
        return false
    }

    private mutating func name() -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.count, !MarkupProlog.isSpace(bytes[index]), !MarkupProlog.nameEnds.contains(bytes[index]) {
            index += 1
        }
        return bytes[start..<index]
    }

    /// Skips past the document type, which may have declarations in brackets; returns false if it does not end.
    private mutating func skipDocumentType() -> Bool {
        var isInside = false
        while index < bytes.count {
            if isInside, take("<!--") {
                guard skip(past: "-->") else { return false }
            } else if isInside, take("<?") {
                guard skip(past: "?>") else { return false }
            } else {
                let byte = bytes[index]
                index += 1
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    guard let end = bytes[index...].firstIndex(of: byte) else {
                        index = bytes.count
                        return false
                    }
                    index = end + 1
                case UInt8(ascii: "["): isInside = true
                case UInt8(ascii: "]") where isInside:
                    skipSpace()
                    // Only white space is allowed here.
                    return take(">")
                case UInt8(ascii: ">") where !isInside: return true
                default: break
                }
            }
        }
        return false
    }
}
