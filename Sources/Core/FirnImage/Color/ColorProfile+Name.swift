import FoundationEssentials

extension ColorProfile {
    /// The name that the profile states for itself, such as `Display P3`; `nil` if it states none.
    ///
    /// In English if the profile has that, otherwise in the first language.
    ///
    /// - Source: ICC.1:2022 §7.3, tag `desc` of §9.2.41; §10.15, `multiLocalizedUnicodeType`; ICC.1:2001 §6.5.17,
    ///   `textDescriptionType`.
    public var name: String? {
        let file = ICCBytes(bytes: [UInt8](icc))
        guard let count = file.number(128, 4) else { return nil }
        // Profiles have some ten tags.
        for index in 0..<min(count, 100) {
            let entry = 132 + 12 * index
            guard file.bytes.dropFirst(entry).prefix(4).elementsEqual("desc".utf8),
                let start = file.number(entry + 4, 4)
            else { continue }
            let text = file.text(start)?.withoutControlCharacters
            return text?.isEmpty == false ? text : nil
        }
        return nil
    }
}

/// The bytes of a profile. Accesses beyond them return `nil`.
private struct ICCBytes {
    let bytes: [UInt8]
    /// The most bytes of a name.
    private static let longest = 400

    /// Returns a number of `length` bytes, at most 4, the first byte highest.
    func number(_ offset: Int, _ length: Int) -> Int? {
        guard offset <= bytes.count - length else { return nil }
        return bytes[offset..<offset + length].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the text of a tag's content.
    func text(_ start: Int) -> String? {
        let type = bytes.dropFirst(start).prefix(4)
        if type.elementsEqual("desc".utf8) {
            guard let count = number(start + 8, 4) else { return nil }
            let characters = bytes.dropFirst(start + 12).prefix(min(count, ICCBytes.longest)).prefix { $0 != 0 }
            return String(decoding: characters, as: UTF8.self)
        }
        guard type.elementsEqual("mluc".utf8), let count = number(start + 8, 4) else { return nil }
        // Each record has language, country, length and offset.
        let records = (0..<min(count, 100)).map { start + 16 + 12 * $0 }
        let english = records.first { bytes.dropFirst($0).prefix(2).elementsEqual("en".utf8) }
        guard let record = english ?? records.first, let length = number(record + 4, 4),
            let offset = number(record + 8, 4)
        else { return nil }
        let units = stride(from: 0, to: min(length, ICCBytes.longest) - 1, by: 2).compactMap { index in
            number(start + offset + index, 2).flatMap { UInt16(exactly: $0) }
        }
        return String(decoding: units, as: UTF16.self)
    }
}

extension String {
    /// The text without control characters and superfluous spaces.
    package var withoutControlCharacters: String {
        let scalars = unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
    }
}
