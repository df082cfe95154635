/// Parses request targets by imgproxy's grammar.
struct ImgproxyParser: Sendable {
    let settings: ImgproxySettings

    /// Checks the signature of `target` and parses it.
    ///
    /// `target` is the raw request target: neither decoded nor normalized. `now` is in seconds since 1970.
    /// - Throws: 403 for signatures and security options, 404 for everything else.
    /// - Complexity: O(length of `target`).
    func parse(
        target: String, now: Int, hints: ImgproxyClientHints = ImgproxyClientHints()
    ) throws(ServeError) -> ImgproxyRequest {
        let (signature, path) = try ImgproxyPath.split(target: target, prefix: settings.pathPrefix)
        try ImgproxySigner(settings: settings).check(signature, path: path)
        guard path.count <= settings.limits.pathBytes else { throw .notFound("path: too long") }
        let body = path.dropFirst()
        var reader = ImgproxyOptionReader(settings: settings)
        if settings.usesClientHints { hints.apply(to: &reader.options) }
        if settings.presets["default"] != nil { try reader.applyPresets(["default"]) }
        let source = try readOptions(body, into: &reader)
        if let expires = reader.options.expires, expires > 0, expires <= now {
            throw .notFound("expires: '\(expires)' is past")
        }
        let (address, format) = try readSource(source)
        if let format, !reader.options.raw { reader.options.format = format }
        return ImgproxyRequest(source: address, options: reader.options)
    }

    /// Reads options and returns the source that follows them.
    private func readOptions(
        _ body: ArraySlice<UInt8>, into reader: inout ImgproxyOptionReader
    ) throws(ServeError) -> ArraySlice<UInt8> {
        var rest = body
        var isFirst = true
        while true {
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            let segment = rest[..<end]
            let presets = isFirst && settings.onlyPresets
            guard presets || segment.contains(settings.argumentSeparator) else { return rest }
            guard end < rest.endIndex else { throw .notFound("source: missing") }
            if presets {
                try reader.applyPresets(ImgproxyArguments.parts(segment, settings))
            } else if settings.onlyPresets {
                return rest
            } else {
                try reader.applyListed(ImgproxyArguments(segment, settings))
            }
            isFirst = false
            rest = rest[(end + 1)...]
        }
    }

    /// Returns the address and the format after `@` or `.`.
    /// - Throws: 404 for malformed encodings, unknown formats and schemes, control characters and invalid UTF-8.
    func readSource(_ text: ArraySlice<UInt8>) throws(ServeError) -> (String, ImgproxyFormat?) {
        let plain = Array("plain/".utf8)
        let isPlain = text.starts(with: plain)
        let (bytes, name) = isPlain ? try readPlain(text.dropFirst(plain.count)) : try readBase64(text)
        guard !bytes.isEmpty else { throw .notFound("source: empty") }
        guard let decoded = String(validating: bytes, as: UTF8.self),
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { throw .notFound("source: invalid characters") }
        let source = try settings.address(decoded, of: "source")
        guard let name, !name.isEmpty else { return (source, nil) }
        let text = String(decoding: name, as: UTF8.self)
        guard let format = ImgproxyFormat(name: text) else { throw .argument("format", text) }
        return (source, format)
    }

    private func readPlain(_ text: ArraySlice<UInt8>) throws(ServeError) -> ([UInt8], ArraySlice<UInt8>?) {
        let (url, name) = try cut(text, at: UInt8(ascii: "@"))
        guard let bytes = PercentEncoding.strictlyDecoded(url) else { throw .notFound("source: invalid escape") }
        return (bytes, name)
    }

    private func readBase64(_ text: ArraySlice<UInt8>) throws(ServeError) -> ([UInt8], ArraySlice<UInt8>?) {
        var text = text
        let slash = UInt8(ascii: "/")
        if settings.base64IncludesFilename { text = text[..<(text.lastIndex(of: slash) ?? text.startIndex)] }
        let joined = text.filter { $0 != slash }[...]
        let (encoded, name) = try cut(joined, at: UInt8(ascii: "."))
        guard let bytes = ImgproxyText.base64URLDecoded(encoded) else { throw .notFound("source: invalid base64") }
        return (bytes, name)
    }

    private func cut(
        _ text: ArraySlice<UInt8>, at mark: UInt8
    ) throws(ServeError) -> (ArraySlice<UInt8>, ArraySlice<UInt8>?) {
        guard let index = text.firstIndex(of: mark) else { return (text, nil) }
        let name = text[(index + 1)...]
        guard !name.contains(mark) else {
            throw .notFound("source: more than one '\(Character(Unicode.Scalar(mark)))'")
        }
        return (text[..<index], name)
    }
}

struct ImgproxyRequest: Sendable, Equatable {
    /// The decoded address of the source, with its scheme.
    var source: String
    /// The options, presets applied.
    var options: ImgproxyOptions
}

extension ImgproxySettings {
    private static let schemes = ["http", "https", "local", "s3", "gs", "abs", "swift"]

    /// Returns an address with ``baseURL`` in front of it if it is short, and its scheme in lower case.
    /// - Parameter name: the part of the request, for the error.
    /// - Throws: 404 for unknown schemes.
    func address(_ text: String, of name: String) throws(ServeError) -> String {
        let address = text.utf8.starts(with: baseURL.utf8) ? text : baseURL + text
        let scheme = address.prefix { $0 != ":" }
        let rest = address[scheme.endIndex...]
        guard rest.hasPrefix("://"), let known = Self.schemes.first(where: { $0 == scheme.lowercased() })
        else { throw .notFound("\(name): unknown scheme") }
        return known + rest
    }
}
