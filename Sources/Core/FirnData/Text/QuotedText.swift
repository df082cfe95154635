/// Shortens text from outside for messages: names, addresses, reasons.
///
/// A line of a list, an address or a server's text may have megabytes. Its start and end identify it.
package enum QuotedText {
    /// Maximum length of a name or an address in a message, in bytes.
    package static let nameBytes = 300
    /// Maximum length of the reason of a failure, in bytes.
    package static let reasonBytes = 1_000

    /// Returns an address; a long one is redacted and shortened.
    ///
    /// Order: secrets are removed first, because a password or query value is recognized only with its start.
    package static func address(_ address: String) -> String {
        address.utf8.count > nameBytes ? of(AddressRedaction().address(address)) : address
    }

    /// Returns the reason of a failure, with long words shortened like addresses.
    package static func reason(_ text: String) -> String {
        guard text.utf8.count > nameBytes else { return text }
        let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        return of(words.map { address(String(Substring($0))) }.joined(separator: " "), bytes: reasonBytes)
    }

    /// Returns `text`, or its start and its end with `...` between them.
    ///
    /// Cuts between scalars, not between characters: a single character can have megabytes of combining marks.
    /// - Parameter limit: the maximum length of the result in UTF-8 bytes. Default: ``nameBytes``.
    package static func of(_ text: String, bytes limit: Int = nameBytes) -> String {
        guard text.utf8.count > limit else { return text }
        let room = max(0, limit - 3)
        let scalars = text.unicodeScalars
        let utf8 = text.utf8
        // The end of a path or address also distinguishes files.
        let tail = room / 3
        var start = utf8.index(utf8.startIndex, offsetBy: room - tail)
        while start > utf8.startIndex, utf8[start] & 0xC0 == 0x80 { utf8.formIndex(before: &start) }
        var end = utf8.index(utf8.endIndex, offsetBy: -tail)
        while end < utf8.endIndex, utf8[end] & 0xC0 == 0x80 { utf8.formIndex(after: &end) }
        return String(scalars[..<start]) + "..." + String(scalars[end...])
    }
}
