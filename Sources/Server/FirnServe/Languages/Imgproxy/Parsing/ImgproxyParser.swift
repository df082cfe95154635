/// Parses request targets by imgproxy's grammar.
package struct ImgproxyParser: Sendable {
    package let settings: ImgproxySettings
    package let signer: ImgproxySigner

    package init(settings: ImgproxySettings) {
        self.settings = settings
        signer = ImgproxySigner(settings: settings)
    }

    /// Checks the signature of `target` and parses it.
    ///
    /// `target` is the raw request target: neither decoded nor normalized. `now` is in seconds since 1970.
    /// - Throws: 403 for signatures and security options, 404 for everything else.
    /// - Complexity: O(length of `target`).
    func parse(
        target: String, now: Int, hints: ImgproxyClientHints = ImgproxyClientHints()
    ) throws(ServeError) -> ImgproxyRequest {
        let (signature, path) = try ImgproxyPath.split(target: target, prefix: settings.pathPrefix)
        try signer.check(signature, path: path)
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
}

struct ImgproxyRequest: Sendable, Equatable {
    /// The decoded address of the source, with its scheme.
    var source: String
    /// The options, presets applied.
    var options: ImgproxyOptions
}
