/// Reads the few words of an XML error that messages need, without an XML parser.
enum S3ErrorText {
    /// The bytes of an error that are looked at.
    static let limit = 4096

    /// Returns the text of the first element of a name, if it is a short word.
    static func value(of element: String, in body: some Collection<UInt8>) -> String? {
        let bytes = Array(body.prefix(limit))
        let start = Array("<\(element)>".utf8)
        guard let from = bytes.firstRange(of: start)?.upperBound else { return nil }
        return name(bytes[from...].prefix { $0 != UInt8(ascii: "<") })
    }

    /// Returns the text if it is a word of 1 to 64 letters, digits, dots, hyphens and underscores.
    static func name(_ bytes: some Collection<UInt8>) -> String? {
        guard (1...64).contains(bytes.count), bytes.allSatisfy(isWordByte) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
