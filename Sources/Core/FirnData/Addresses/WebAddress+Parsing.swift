extension WebAddress {
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
