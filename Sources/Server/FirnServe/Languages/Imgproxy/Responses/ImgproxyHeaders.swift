enum ImgproxyHeaders {
    static let contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

    /// Returns the `Cache-Control` of a result. `expires` and `now` are in seconds since 1970.
    static func cacheControl(
        timeToLive: Int, expires: Int? = nil, terms: SourceTerms = SourceTerms(), now: Int
    ) -> String {
        if terms.forbidsStoring { return terms.isPrivate ? "private, no-store" : "no-store" }
        var seconds = timeToLive
        for end in [expires ?? 0, terms.freshUntil] where end > 0 {
            let rest = end.subtractingReportingOverflow(now)
            seconds = rest.overflow ? seconds : min(seconds, rest.partialValue)
        }
        guard seconds > 0 else { return terms.isPrivate ? "private, no-cache" : "no-cache" }
        return "max-age=\(seconds), \(terms.isPrivate ? "private" : "public")"
    }

    /// Returns the `Content-Disposition` with the requested file name, or the source's, and the extension of the
    /// result.
    ///
    /// Control characters become `_`, and quotes and backslashes are escaped. Names beyond ASCII add `filename*`.
    /// - Source: RFC 6266 section 4, RFC 8187 section 3.2.
    static func contentDisposition(request: ImgproxyRequest, format: ImgproxyFormat) -> String {
        let stem = request.options.filename ?? sourceStem(request.source)
        let name = safe(stem) + "." + format.fileExtension
        let type = request.options.returnAttachment ? "attachment" : "inline"
        // Replaced as bytes, since a character may start with a quote.
        let quoted = Array(name.utf8).replacing("\"".utf8, with: "%22".utf8).replacing("\\".utf8, with: "%5C".utf8)
        let value = "\(type); filename=\"\(String(decoding: quoted, as: UTF8.self))\""
        return name.utf8.allSatisfy { $0 < 0x80 }
            ? value : value + "; filename*=UTF-8''" + PercentEncoding.encoded(name.utf8)
    }

    static func canonicalLink(to url: String) -> String {
        // Angle brackets and spaces would end the address.
        "<\(PercentEncoding.encoded(url.utf8, keeping: "!#$%&'()*+,/:;=?@[]"))>; rel=\"canonical\""
    }

    private static func sourceStem(_ source: String) -> String {
        var bytes = Array(source.utf8)[...]
        // Only URLs have queries and remaining escapes: paths and keys were decoded with the address.
        let isURL = source.hasPrefix("http://") || source.hasPrefix("https://")
        if isURL { bytes = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") } }
        if let slash = bytes.lastIndex(of: UInt8(ascii: "/")) { bytes = bytes[(slash + 1)...] }
        if let dot = bytes.lastIndex(of: UInt8(ascii: ".")), dot > bytes.startIndex { bytes = bytes[..<dot] }
        let name = isURL ? PercentEncoding.strictlyDecoded(bytes) : nil
        let stem = String(decoding: name ?? Array(bytes), as: UTF8.self)
        return stem.isEmpty ? "image" : stem
    }

    private static func safe(_ name: String) -> String {
        let scalars = name.unicodeScalars.prefix(200).map { scalar -> Unicode.Scalar in
            scalar.properties.generalCategory == .control || scalar == "/" ? "_" : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
