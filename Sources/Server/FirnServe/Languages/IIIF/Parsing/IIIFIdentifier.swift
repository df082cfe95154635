import FirnData

/// The identifier of an image: a relative path without empty, `.` and `..` segments.
///
/// Identifiers are equal if their bytes are equal; Unicode normalization does not make two files one.
package struct IIIFIdentifier: Hashable, Sendable {
    /// The longest identifier, in bytes after decoding.
    package static let maximumLength = 1024

    /// The decoded bytes: valid UTF-8 without control characters.
    package let bytes: [UInt8]

    /// The decoded identifier, for example `maps/a b.jpg`.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The one percent-encoded spelling that canonical URIs use, for example `maps%2Fa%20b.jpg`.
    package var encoded: String { PercentEncoding.encoded(bytes) }

    /// Decodes one path segment once.
    ///
    /// - Throws: ``ServeError`` with status 400 if the spelling is invalid, or 404 if it names nothing below a root.
    package init(segment: some Collection<UInt8>) throws(ServeError) {
        guard !segment.isEmpty else { throw .invalid("identifier", segment, "empty", status: 404) }
        guard segment.allSatisfy(IIIFIdentifier.isSegmentByte) else {
            throw .invalid("identifier", segment, "contains a character that must be percent-encoded")
        }
        guard let bytes = PercentEncoding.strictlyDecoded(segment) else {
            throw .invalid("identifier", segment, "'%' must be followed by two hexadecimal digits")
        }
        guard bytes.count <= Self.maximumLength else {
            throw .invalid("identifier", segment, "longer than \(Self.maximumLength) bytes", status: 404)
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw .invalid("identifier", segment, "not UTF-8 after decoding")
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalid("identifier", segment, "contains a control character", status: 404)
        }
        for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !part.isEmpty, !part.elementsEqual(".".utf8), !part.elementsEqual("..".utf8) else {
                throw .invalid("identifier", segment, "contains an empty, '.' or '..' segment", status: 404)
            }
        }
        self.bytes = bytes
    }

    /// Returns whether a path segment may contain the byte without encoding (RFC 3986 section 3.3). True for `%`, which
    /// starts an encoded byte.
    static func isSegmentByte(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || "!$&'()*+,;=:@%".utf8.contains(byte)
    }
}
