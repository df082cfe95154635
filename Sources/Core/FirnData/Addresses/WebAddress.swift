package import FoundationEssentials

/// An `http` or `https` address, parsed as browsers do and written in a normal form.
///
/// Invalid bytes are encoded, and escapes are kept. Scheme and host are in lower case, the scheme's default port is
/// omitted, `.` and `..` are resolved, and surrounding white space is dropped.
///
/// - Source: WHATWG URL standard, sections 3 and 4, for the schemes `http` and `https`; non-ASCII host names by libidn2
///   (UTS #46, not transitional), which refuses symbols that IDNA 2008 does not allow.
package struct WebAddress: Hashable, Sendable {
    /// True if the scheme is `https`.
    package internal(set) var isSecure = false
    /// The user name, percent-encoded; empty if there is none.
    package internal(set) var user = ""
    /// The password, percent-encoded; empty if there is none.
    package internal(set) var password = ""
    /// The name, the IPv4 address in four decimal numbers, or the IPv6 address in brackets.
    package internal(set) var host = ""
    /// The port, 0 to 65535; `nil` for the scheme's default.
    package internal(set) var port: Int?
    /// The path, from its first slash on.
    package internal(set) var path = "/"
    /// The query without its question mark.
    package internal(set) var query: String?
    /// The fragment without its `#`. It is never sent.
    package internal(set) var fragment: String?

    init() {}

    package var scheme: String { isSecure ? "https" : "http" }

    package var text: String { fragment.map { resource + "#" + $0 } ?? resource }

    /// The address without its fragment, which does not identify the resource.
    package var resource: String {
        let secret = password.isEmpty ? "" : ":" + password
        let credentials = user.isEmpty && secret.isEmpty ? "" : user + secret + "@"
        return scheme + "://" + credentials + authority + path + (query.map { "?" + $0 } ?? "")
    }

    package var origin: String { scheme + "://" + authority }

    private var authority: String { port.map { "\(host):\($0)" } ?? host }

    package var withoutCredentials: WebAddress {
        var address = self
        (address.user, address.password) = ("", "")
        return address
    }

    /// Returns an address of any scheme without surrounding white space and control characters.
    package static func trimmed(_ address: String) -> String {
        let isSpace: (UInt8) -> Bool = { $0 <= 0x20 }
        guard let first = address.utf8.first, let last = address.utf8.last, isSpace(first) || isSpace(last) else {
            return address
        }
        let start = address.utf8.drop(while: isSpace)
        let end = start.lastIndex { !isSpace($0) }
        return end.map { String(Substring(start[...$0])) } ?? ""
    }

    /// Returns `text` in normal form; `nil` if it is not an `http` or `https` address.
    package static func normalized(_ text: String) -> String? {
        isNormal(text) ? text : WebAddress(text)?.text
    }

    /// Returns the address without its fragment, in normal form; one with another scheme is unchanged.
    package static func resource(of text: String) -> String {
        isNormal(text) ? text : WebAddress(text)?.resource ?? text
    }

    /// Returns the URL of an address of any scheme. Encodes invalid bytes first: if a component has one, Foundation
    /// would encode all of it, including its escapes.
    package static func url(_ address: String) -> URL? {
        let isPlain = address.utf8.allSatisfy { !isRefused($0) && $0 != UInt8(ascii: "%") }
        guard !isPlain, let start = address.firstRange(of: "://")?.upperBound,
            let path = address[start...].firstIndex(where: { "/?#".contains($0) })
        else { return URL(string: address) }
        var out = Array(address[..<path].utf8)
        let rest = Array(address[path...].utf8)
        for (i, byte) in rest.enumerated() {
            let isEscape =
                byte == UInt8(ascii: "%") && i + 2 < rest.count
                && PercentEncoding.hexadecimalValue(rest[i + 1]) != nil
                && PercentEncoding.hexadecimalValue(rest[i + 2]) != nil
            if isEscape || byte != UInt8(ascii: "%") && !isRefused(byte) {
                out.append(byte)
            } else {
                PercentEncoding.append(byte, to: &out)
            }
        }
        return URL(string: String(decoding: out, as: UTF8.self))
    }

    /// Returns whether RFC 3986 allows a byte nowhere outside the host.
    private static func isRefused(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte >= 0x7F || "\"<>[\\]^`{|}".utf8.contains(byte)
    }

    /// Returns whether an address is already normalized, at a fraction of the parser's cost. May return false for a
    /// normalized address.
    static func isNormal(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { normalHost($0) != nil } ?? false
    }

    /// Returns the scheme, host and port of a normalized address; `nil` for others, and for some normalized ones.
    package static func normalOrigin(_ text: String) -> (isSecure: Bool, host: String, port: Int?)? {
        text.utf8.withContiguousStorageIfAvailable { bytes -> (Bool, String, Int?)? in
            guard let host = normalHost(bytes) else { return nil }
            let name = host.prefix { $0 != UInt8(ascii: ":") }
            let digits = host[name.endIndex...].dropFirst()
            let port = digits.isEmpty ? nil : digits.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
            return (host.startIndex == 8, String(decoding: name, as: UTF8.self), port)
        } ?? nil
    }

    /// Returns the host and port of a normalized address, which follow its scheme.
    private static func normalHost(_ bytes: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>>? {
        let start = bytes.starts(with: "https://".utf8) ? 8 : bytes.starts(with: "http://".utf8) ? 7 : 0
        guard start > 0, let end = bytes[start...].firstIndex(of: UInt8(ascii: "/")) else { return nil }
        return isNormal(host: bytes[start..<end]) && isNormal(path: bytes[end...]) ? bytes[start..<end] : nil
    }

    /// Returns whether the host is an ASCII name or an IPv4 address, with or without a port. Other numbers and encoded
    /// names are left to the parser.
    private static func isNormal(host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let name = host.prefix { $0 != UInt8(ascii: ":") }
        let digits = host[name.endIndex...].dropFirst()
        if !digits.isEmpty {
            guard digits.count < 5 || digits.count == 5 && !"65535".utf8.lexicographicallyPrecedes(digits),
                digits.first != UInt8(ascii: "0"), digits.allSatisfy(isDigit),
                !digits.elementsEqual("80".utf8), !digits.elementsEqual("443".utf8)
            else { return false }
        }
        // The normal form omits a colon without digits.
        guard digits.isEmpty == (name.count == host.count), let last = name.last else { return false }
        guard isLetter(last) else { return isVersion4(name) }
        var isStart = true
        for byte in name {
            guard
                isLetter(byte) && !(isStart && byte == UInt8(ascii: "x")) || isDigit(byte) || "-._".utf8.contains(byte)
            else { return false }
            isStart = byte == UInt8(ascii: ".")
        }
        // The last label must not be a hexadecimal number.
        return !name.reversed().prefix { $0 != UInt8(ascii: ".") }.contains { isDigit($0) }
    }

    /// Returns whether the name is four decimal numbers without leading zeros.
    private static func isVersion4(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let numbers = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return numbers.count == 4
            && numbers.allSatisfy { UInt8(digits: $0) != nil && ($0.count == 1 || $0.first != UInt8(ascii: "0")) }
    }

    private static func isNormal(path: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var former: UInt8 = 0
        for byte in path {
            // A segment that begins with a dot or an escape may be `.` or `..`.
            if former == UInt8(ascii: "/"), byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return false }
            guard byte > 0x20, byte < 0x7F, !isChanged(byte) else { return false }
            former = byte
        }
        return true
    }

    /// Returns whether a byte of a path or query is encoded or has a special meaning.
    private static func isChanged(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"),
            UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    /// Reads an address; returns `nil` if its scheme is not `http` or `https`, or its host or port is invalid.
    ///
    /// - Parameter base: the address that a relative one refers to, such as that of the response with a `Location`.
    package init?(_ text: String, relativeTo base: WebAddress? = nil) {
        self.init(bytes: text.utf8, relativeTo: base)
    }

    /// Reads an address from bytes that need not be UTF-8, as in header fields: each byte is encoded as it is.
    package init?(bytes: some Sequence<UInt8>, relativeTo base: WebAddress? = nil) {
        var rest = bytes.filter { $0 != 9 && $0 != 10 && $0 != 13 }.drop { $0 <= 0x20 }
        while let last = rest.last, last <= 0x20 { rest.removeLast() }
        self.init()
        fragment = rest.cut(at: "#").map { WebAddress.encoded($0, "\"<>`") }
        query = rest.cut(at: "?").map { WebAddress.encoded($0, "\"<>'") }

        var isRelative = true
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), WebAddress.isScheme(rest[..<colon]) {
            let scheme = String(decoding: rest[..<colon], as: UTF8.self).lowercased()
            guard scheme == "http" || scheme == "https" else { return nil }
            isSecure = scheme == "https"
            rest = rest[(colon + 1)...]
            isRelative = base?.isSecure == isSecure && !rest.starts(with: "//".utf8)
        }
        let slashes = rest.prefix { WebAddress.isSlash($0) }.count
        if isRelative {
            guard let base else { return nil }
            isSecure = base.isSecure
            if slashes < 2 {
                (user, password, host, port) = (base.user, base.password, base.host, base.port)
                if rest.isEmpty {
                    path = base.path
                    query = query ?? base.query
                } else {
                    path = WebAddress.path(rest, in: slashes == 0 ? base.path : "/")
                }
                return
            }
        }
        rest = rest.dropFirst(slashes)
        let authority = rest.prefix { !WebAddress.isSlash($0) }
        guard readAuthority(authority) else { return nil }
        path = WebAddress.path(rest[authority.endIndex...], in: "/")
    }

    /// Reads `user:password@host:port`.
    private mutating func readAuthority(_ text: ArraySlice<UInt8>) -> Bool {
        var place = text
        if let at = text.lastIndex(of: UInt8(ascii: "@")) {
            var name = text[..<at]
            let secret = name.cut(at: ":") ?? []
            let set: StaticString = "\"#<>?`{}/:;=@[\\]^|"
            (user, password) = (WebAddress.encoded(name, set), WebAddress.encoded(secret, set))
            place = text[(at + 1)...]
        }
        // The colons of an IPv6 address are inside its brackets.
        let bracket = place.first == UInt8(ascii: "[") ? place.firstIndex(of: UInt8(ascii: "]")) : nil
        if let colon = place[(bracket ?? place.startIndex)...].firstIndex(of: UInt8(ascii: ":")) {
            guard let number = WebAddress.port(place[(colon + 1)...]) else { return false }
            port = number == (isSecure ? 443 : 80) ? nil : number
            if colon + 1 == place.endIndex { port = nil }
            place = place[..<colon]
        }
        guard let host = WebHost.parsed(place) else { return false }
        self.host = host
        return true
    }

    /// Returns the port, 0 if there are no digits; `nil` unless it is from 0 to 65535.
    private static func port(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.isEmpty ? 0 : Int(digits: digits).flatMap { $0 <= 65535 ? $0 : nil }
    }

    /// Returns a path with `.` and `..` resolved.
    ///
    /// - Parameter base: the path whose last segment is replaced.
    private static func path(_ text: ArraySlice<UInt8>, in base: String) -> String {
        var parts = base.dropFirst().split(separator: "/", omittingEmptySubsequences: false).dropLast().map(String.init)
        let isRooted = text.first.map(isSlash) ?? false
        let segments = text.dropFirst(isRooted ? 1 : 0).split(omittingEmptySubsequences: false, whereSeparator: isSlash)
        for segment in segments.dropLast() {
            switch dots(segment) {
            case 1: break
            case 2: _ = parts.popLast()
            default: parts.append(encoded(segment, "\"<>^`{}"))
            }
        }
        // An address that ends in dots names a folder, so its path ends in a slash.
        let last = segments.last ?? []
        let dots = dots(last)
        if dots == 2 { _ = parts.popLast() }
        parts.append(dots == 0 ? encoded(last, "\"<>^`{}") : "")
        return "/" + parts.joined(separator: "/")
    }

    /// Returns 1 for `.`, 2 for `..`, in any spelling, and 0 for other segments.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
        guard segment.count <= 6 else { return 0 }
        switch String(decoding: segment, as: UTF8.self).lowercased() {
        case ".", "%2e": return 1
        case "..", ".%2e", "%2e.", "%2e%2e": return 2
        default: return 0
        }
    }

    /// Returns the text with control characters, spaces, bytes above 126 and those in `set` as `%XX`.
    private static func encoded(_ text: ArraySlice<UInt8>, _ set: StaticString) -> String {
        set.withUTF8Buffer { set in
            PercentEncoding.encoded(text) { $0 > 0x20 && $0 < 0x7F && !set.contains($0) }
        }
    }

    private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    private static func isScheme(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20) else {
            return false
        }
        return text.allSatisfy(isSchemeByte)
    }

    /// Returns whether a byte may follow the first one in a scheme.
    package static func isSchemeByte(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) && !"_~".utf8.contains(byte) || byte == UInt8(ascii: "+")
    }
}

extension ArraySlice<UInt8> {
    /// Cuts the slice before the first `mark`, and returns what comes after it.
    fileprivate mutating func cut(at mark: Unicode.Scalar) -> ArraySlice<UInt8>? {
        guard let index = firstIndex(of: UInt8(ascii: mark)) else { return nil }
        defer { self = self[..<index] }
        return self[(index + 1)...]
    }
}
