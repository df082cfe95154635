import FoundationEssentials

/// Splits and repairs request targets. All functions take linear time.
enum ImgproxyPath {
    private static let slash = UInt8(ascii: "/")
    private static let plain = Array("/plain/".utf8)

    /// Returns the repaired path of `target`, without prefix and signature. This is the text that is signed.
    /// - Throws: 404 if a part is missing.
    static func signedPath(target: String, prefix: String = "") throws(ServeError) -> String {
        String(decoding: try split(target: target, prefix: prefix).path, as: UTF8.self)
    }

    /// Cuts the query, strips the prefix, and splits at the first `/`. The path is repaired and starts with `/`.
    static func split(
        target: String, prefix: String
    ) throws(ServeError) -> (signature: ArraySlice<UInt8>, path: [UInt8]) {
        var rest = Array(target.utf8)[...]
        if let query = rest.firstIndex(of: UInt8(ascii: "?")) { rest = rest[..<query] }
        let start = Array(prefix.utf8)
        guard rest.starts(with: start) else { throw .notFound("path: outside of the prefix") }
        rest = rest.dropFirst(start.count)
        guard rest.first == slash else { throw .notFound("path: does not start with '/'") }
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: slash) else { throw .notFound("path: nothing follows the signature") }
        guard end > rest.startIndex, rest.endIndex - end > 1 else { throw .notFound("path: an empty part") }
        return (rest[..<end], repaired(rest[end...]))
    }

    /// Undoes changes by clients and proxies: `%3A` before `/plain/`, and a lost slash of the scheme after it.
    static func repaired(_ path: ArraySlice<UInt8>) -> [UInt8] {
        let split = path.firstRange(of: plain)
        let options = path[..<(split?.lowerBound ?? path.endIndex)]
        var result = Array(options.replacing("%3A".utf8, with: ":".utf8))
        guard let split else { return result }
        result += plain
        let source = path[split.upperBound...]
        let scheme = source.prefix { WebAddress.isSchemeByte($0) }
        let tail = source.dropFirst(scheme.count)
        guard !scheme.isEmpty, tail.starts(with: Array(":/".utf8)), tail.count > 2, tail.dropFirst(2).first != slash
        else { return result + source }
        let separator = scheme.elementsEqual("local".utf8) ? ":///" : "://"
        return result + scheme + Array(separator.utf8) + tail.dropFirst(2)
    }
}

/// Encodes and decodes parts of paths. All functions take linear time.
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

    /// Returns whether `text` is a spelling of true. Anything else is false.
    static func isTrue(_ text: String) -> Bool { ["1", "t", "T", "TRUE", "true", "True"].contains(text) }
}
