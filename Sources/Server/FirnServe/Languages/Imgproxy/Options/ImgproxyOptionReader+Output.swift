import FirnData

extension ImgproxyOptionReader {
    /// Applies options of formats and responses.
    ///
    /// - Throws: 403 for options that change limits, 404 for unknown ones.
    mutating func applyOutput(_ name: String, _ arguments: ImgproxyArguments) throws(ServeError) {
        switch name {
        case "quality", "q": options.quality = try arguments.integer(try arguments.one(), 0...100)
        case "format_quality", "fq": try readFormatQuality(arguments)
        case "max_bytes", "mb": options.maxBytes = try arguments.integer(try arguments.one(), 0...Int.max)
        case "format", "f", "ext": options.format = try arguments.format(try arguments.one())
        case "skip_processing", "skp":
            for text in arguments.values { options.skipProcessing.insert(try arguments.format(text)) }
        case "raw":
            options.raw = ImgproxyText.isTrue(try arguments.one())
            guard !options.raw || settings.allowRaw else { throw .notFound("raw: '1' is not allowed") }
        case "cachebuster", "cb": options.cacheBuster = try arguments.one()
        case "expires", "exp": options.expires = try arguments.integer(try arguments.one(), 0...Int.max)
        case "filename", "fn": try readFilename(arguments)
        case "return_attachment", "att": options.returnAttachment = ImgproxyText.isTrue(try arguments.one())
        case _ where Self.security.contains(name):
            throw ServeError(403, "\(name): security options are not allowed")
        default: throw .notFound("\(ServeError.printable(name.utf8)): unknown option")
        }
    }

    private mutating func readFormatQuality(_ arguments: ImgproxyArguments) throws(ServeError) {
        guard arguments.values.count % 2 == 0 else { throw .notFound("\(arguments.option): a quality is missing") }
        for index in stride(from: 0, to: arguments.values.count, by: 2) {
            let format = try arguments.format(arguments.values[index])
            options.formatQuality[format] = try arguments.integer(arguments.values[index + 1], 0...100)
        }
    }

    private mutating func readFilename(_ arguments: ImgproxyArguments) throws(ServeError) {
        try arguments.atMost(2)
        let text = arguments.values.first ?? ""
        let bytes = Array(text.utf8)
        let decoded =
            arguments.bool(1) ? ImgproxyText.base64URLDecoded(bytes) : PercentEncoding.strictlyDecoded(bytes[...])
        guard let decoded, let filename = String(validating: decoded, as: UTF8.self) else {
            throw .argument(arguments.option, text)
        }
        options.filename = filename.isEmpty ? nil : filename
    }
}
