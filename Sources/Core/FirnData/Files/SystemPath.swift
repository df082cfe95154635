/// Converts between the system's paths, which are bytes, and `String`.
///
/// A name that is not UTF-8 has no exact text. Each byte outside a valid character becomes a scalar of the last private
/// area, `U+10FF80` for `0x80` to `U+10FFFF` for `0xFF`. ``bytes(_:)`` reverses this exactly: bytes that encode one of
/// these scalars do not count as a character either.
package enum SystemPath {
    /// The scalars that represent a byte each.
    private static let stands: ClosedRange<UInt32> = 0x10_FF80...0x10_FFFF
    private static let base: UInt32 = 0x10_FF00
    /// The first UTF-8 byte of these scalars. Few paths contain it.
    private static let lead: UInt8 = 0xF4

    package static func text(_ bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        if !bytes.contains(lead), let text = String(validating: bytes, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView()
        var index = 0
        while index < bytes.count {
            if let scalar = scalar(bytes[index...]) {
                scalars.append(scalar)
                index += UTF8.width(scalar)
            } else {
                scalars.append(Unicode.Scalar(base + UInt32(bytes[index])) ?? "\u{FFFD}")
                index += 1
            }
        }
        return String(scalars)
    }

    /// Returns the bytes of a path from ``text(_:)``, or of any other text.
    package static func bytes(_ text: String) -> [UInt8] {
        guard text.utf8.contains(lead) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            byte(scalar).map { [$0] } ?? UTF8.encode(scalar).map(Array.init) ?? []
        }
    }

    /// Returns the byte that a scalar represents; `nil` for an ordinary character.
    package static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        stands.contains(scalar.value) ? UInt8(truncatingIfNeeded: scalar.value) : nil
    }

    /// Returns whether a path is UTF-8, so that its text is exact.
    package static func isText(_ path: String) -> Bool {
        !path.utf8.contains(lead) || !path.unicodeScalars.contains { byte($0) != nil }
    }

    /// Returns the character at the start of the bytes; `nil` if there is none, or if it represents a byte.
    private static func scalar(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        // A prefix of a longer character is not valid text.
        let texts = (1...4).lazy.compactMap { String(validating: bytes.prefix($0), as: UTF8.self) }
        guard let scalar = texts.first?.unicodeScalars.first, byte(scalar) == nil else { return nil }
        return scalar
    }
}

extension String {
    /// Calls `body` with a path in the system's form.
    package func withSystemPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        if SystemPath.isText(self) { return withCString(body) }
        let bytes = SystemPath.bytes(self).map { CChar(bitPattern: $0) } + [0]
        return bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return withCString(body) }
            return body(start)
        }
    }
}
