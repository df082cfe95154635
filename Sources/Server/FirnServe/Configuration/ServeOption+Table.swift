package import FirnCodecs
import FirnHTTP

extension ServeOption {
    static let addresses = [
        parsed(
            "listen", "Where images are served. Port 0 is any free one.", read: { $0.listen.description },
            write: { (configuration, text) throws(ConfigurationError) in
                configuration.listen = try address(text)
            }),
        parsed(
            "admin", example: .text("127.0.0.1:9090"),
            "Where /metrics, /status and a second /health are; no address for nowhere.",
            read: { $0.admin?.description },
            write: { (configuration, text) throws(ConfigurationError) in
                configuration.admin = text.isEmpty ? nil : try address(text)
            }),
        list(
            "trusted-proxies", "Proxies whose fields X-Forwarded-… and Forwarded are read: 10.0.0.0/8, ::1.",
            read: { $0.settings.trustedProxies.map(\.description) },
            write: { (configuration, list) throws(ConfigurationError) in
                configuration.settings.trustedProxies = try list.map { text throws(ConfigurationError) in
                    try ConfigurationError.checked(NetworkPolicy.AddressRange(text), text, "an address or a range")
                }
            }),
        seconds(
            "drain-seconds", \.settings.drainDelay, in: 0...3600, isLive: false,
            "How long requests are taken after SIGTERM, with /health at 503, so that load balancers turn away."),
    ]

    static let signatures = [
        text("key", \.keys, isSecret: true, isLive: true, "Keys of signatures in hexadecimal digits, by commas."),
        text("salt", \.salts, isSecret: true, isLive: true, "Salts of signatures, as many as keys."),
        number("signature-size", \.settings.imgproxy.signatureSize, in: 8...32, "The bytes of a signature."),
        list(
            "trusted-signatures", \.settings.imgproxy.trustedSignatures, isSecret: true,
            "Signatures that pass literally."),
        flag(
            "show-signed-text", \.settings.imgproxy.showsSignedText, isLive: true,
            "A response to a refused signature has the text that is signed; for development."),
        flag("insecure", \.settings.imgproxy.isInsecure, "Accepts unsigned addresses; on loopback only."),
    ]

    static let sources = [
        optionalText(
            "local-root", \.settings.localRoot, example: .text("/srv/images"),
            "The folder of local:/// sources and of IIIF identifiers."),
        list(
            "allow", example: .list(["images.example.org"]),
            "Hosts of sources: example.org, *.example.org, example.org:8080.",
            read: { $0.settings.allowedHosts.map { host in host.pattern + (host.port.map { ":\($0)" } ?? "") } },
            write: { (configuration, list) throws(ConfigurationError) in
                configuration.settings.allowedHosts = try list.map { text throws(ConfigurationError) in
                    try ConfigurationError.checked(AllowedHost(text), text, "a host")
                }
            }),
        list(
            "s3-sources", \.s3Sources, "Buckets of s3:// sources: s3://bucket[/prefix][?endpoint=…&region=…]."),
        text("base-url", \.settings.imgproxy.baseURL, isLive: true, "What is put in front of short sources."),
        optionalText(
            "cache", \.settings.cacheDirectory, example: .text("/var/cache/firn"),
            "A folder that keeps sources and results; none for memory only."),
        flag("shared-cache", \.settings.isCacheShared, "Uses the cache folder although other users can write to it."),
        optionalText(
            "watermark", \.watermark, isLive: true, "The image that the option watermark lays over results."),
        optionalText(
            "isolation", \.isolation,
            "Formats that are decoded in confined processes: all, complex, none. Default: all, if installed."
        ) { text throws(ConfigurationError) in
            guard text.isEmpty || DecoderIsolation.Name(rawValue: text) != nil else {
                throw .oneOf(DecoderIsolation.Name.self)
            }
        },
    ]

    static let stores = [
        parsed(
            "redis", isSecret: true, "Where servers share results: redis://[[user]:password@]host[:port].",
            read: { $0.redis },
            write: { (configuration, text) throws(ConfigurationError) in
                configuration.settings.redis = text.isEmpty ? nil : try RedisAddress(text)
                configuration.redis = text.isEmpty ? nil : text
            }),
        optionalText("s3", \.s3, "The bucket where servers share results: s3://bucket[/prefix][?endpoint=…&region=…]."),
        number(
            "redis-milliseconds", in: 1...10_000, isLive: false,
            "How long a reply of Redis may take; then the server does without.",
            read: { Int($0.settings.redisTimeLimit / .milliseconds(1)) },
            write: { $0.settings.redisTimeLimit = .milliseconds($1) }),
    ]

    static let responses = [
        text("path-prefix", \.settings.imgproxy.pathPrefix, isLive: true, "What signed paths start with, as /img."),
        list(
            "presets", example: .list(["thumbnail=rs:fill:200:200/q:70"]), "Presets: NAME=OPTION/OPTION.",
            read: { $0.settings.imgproxy.presets.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } },
            write: { (configuration, list) throws(ConfigurationError) in
                configuration.settings.imgproxy.presets = try presets(list)
            }),
        flag("only-presets", \.settings.imgproxy.onlyPresets, isLive: true, "Allows presets and no other options."),
        flag(
            "client-hints", \.settings.imgproxy.usesClientHints, isLive: true,
            "Uses the fields DPR, Width and Save-Data of requests."),
        formats(
            "formats", \.settings.imgproxy.automaticFormats, [.webp, .avif, .jxl], example: .list(["avif", "webp"]),
            "Formats that are chosen for clients that accept them, if a request names none."),
        formats(
            "enforced-formats", \.settings.imgproxy.enforcedFormats, [.webp, .avif, .jxl],
            "The same, also if a request names a format."),
        list(
            "preferred-formats", "Formats of results that nothing else decides, the best first.",
            read: { $0.settings.imgproxy.preferredFormats.map(\.rawValue) },
            write: { (configuration, list) throws(ConfigurationError) in
                let known: [ImgproxyFormat] = [.jpeg, .png, .webp, .avif, .gif, .jxl, .tiff, .bmp, .ico]
                configuration.settings.imgproxy.preferredFormats = try list.map { name throws(ConfigurationError) in
                    try format(name, known)
                }
            }),
        number("quality", \.settings.imgproxy.quality, in: 1...100, "The quality of lossy results."),
        list(
            "format-quality", "The quality of results of a format: FORMAT=QUALITY.",
            read: {
                $0.settings.imgproxy.formatQuality.sorted { $0.key < $1.key }.map { "\($0.key.rawValue)=\($0.value)" }
            },
            write: { (configuration, list) throws(ConfigurationError) in
                configuration.settings.imgproxy.formatQuality = try qualities(list)
            }),
        list(
            "allowed-options", "The names of options that addresses may have, presets apart; none for all.",
            read: { $0.settings.imgproxy.allowedOptions.map { $0.sorted() } ?? [] },
            write: { (configuration, list) throws(ConfigurationError) in
                configuration.settings.imgproxy.allowedOptions = list.isEmpty ? nil : Set(list)
            }),
        flag(
            "raw", \.settings.imgproxy.allowRaw, isLive: true,
            "Allows the option raw: sources are passed on as they are, once they were found to be images."),
        parsed(
            "argument-separator", isLive: true, "What separates the arguments of an option in addresses.",
            read: { String(Unicode.Scalar($0.settings.imgproxy.argumentSeparator)) },
            write: { (configuration, text) throws(ConfigurationError) in
                guard text.utf8.count == 1, let byte = text.utf8.first, (0x21...0x7E).contains(byte),
                    !"/%?#@".utf8.contains(byte)
                else { throw ConfigurationError("is not one character that addresses may have") }
                configuration.settings.imgproxy.argumentSeparator = byte
            }),
        flag(
            "base64-filename", \.settings.imgproxy.base64IncludesFilename, isLive: true,
            "The last part of a base64 source is a file name without meaning."),
        optionalText(
            "secret", \.settings.imgproxy.secret, isSecret: true, isLive: true,
            "What requests must have as Authorization: Bearer; IIIF does not."),
        optionalText(
            "allow-origin", \.settings.imgproxy.allowedOrigin, isLive: true,
            "The field Access-Control-Allow-Origin of results: * or an origin."
        ) { text throws(ConfigurationError) in
            guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ConfigurationError("is not * or an origin")
            }
        },
        flag(
            "canonical-link", \.settings.imgproxy.linksSources, isLive: true,
            "Results of HTTP sources name them in the field Link."),
        optionalText(
            "fallback-image", \.settings.imgproxy.fallbackImage, isLive: true,
            "The file of an image that is served where a source fails."),
        number(
            "fallback-status", \.settings.imgproxy.fallbackStatus, in: 0...599,
            "The status with which it is served; 0 for that of the failure."),
        number("max-age", \.settings.imgproxy.timeToLive, in: 0...31_536_000, "Cache-Control of results, in seconds."),
    ]

    static let reports = [
        choice("log.format", \.logFormat, "How log lines look: text or json."),
        choice(
            "log.level", \.logLevel, "The least important lines: debug, info (each request), notice, warning, error."),
    ]

    private static func address(_ text: String) throws(ConfigurationError) -> ListenAddress {
        try ConfigurationError.checked(ListenAddress(text), text, "HOST:PORT")
    }

    private static func formats(
        _ name: String, _ place: any Place<Set<ImgproxyFormat>>, _ known: [ImgproxyFormat], example: OptionValue? = nil,
        _ about: String
    ) -> ServeOption {
        list(
            name, example: example, about, read: { $0[keyPath: place].sorted().map(\.rawValue) },
            write: { (configuration, list) throws(ConfigurationError) in
                configuration[keyPath: place] = Set(
                    try list.map { name throws(ConfigurationError) in try format(name, known) })
            })
    }

    private static func format(
        _ name: String, _ known: [ImgproxyFormat]
    ) throws(ConfigurationError) -> ImgproxyFormat {
        let format = ImgproxyFormat(name: name).flatMap { known.contains($0) ? $0 : nil }
        return try ConfigurationError.checked(format, name, "one of \(known.map(\.rawValue).joined(separator: ", "))")
    }

    /// Reads qualities of formats, which replace the standard ones of these formats.
    private static func qualities(_ list: [String]) throws(ConfigurationError) -> [ImgproxyFormat: Int] {
        var qualities = ImgproxySettings().formatQuality
        for text in list {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let quality = Int(parts[1]), (1...100).contains(quality) else {
                throw ConfigurationError("'\(ServeError.printable(text.utf8))' is not FORMAT=QUALITY")
            }
            qualities[try format(parts[0], [.jpeg, .webp, .avif, .jxl])] = quality
        }
        return qualities
    }

    private static func presets(_ list: [String]) throws(ConfigurationError) -> [String: String] {
        var presets: [String: String] = [:]
        for text in list {
            guard let mark = text.firstIndex(of: "="), mark > text.startIndex else {
                throw ConfigurationError("'\(ServeError.printable(text.utf8))' is not NAME=OPTIONS")
            }
            presets[String(text[..<mark])] = String(text[text.index(after: mark)...])
        }
        return presets
    }
}

extension DecoderIsolation {
    /// Chooses how images are decoded in this process.
    ///
    /// - Parameter name: of the isolation; `nil` for the strictest that is installed.
    package static func use(_ name: String?) throws(ConfigurationError) {
        if let isolation = name.flatMap({ DecoderIsolation.Name(rawValue: $0) }).map(DecoderIsolation.init) {
            do { try isolation.check() } catch { throw ConfigurationError("isolation: \(error)") }
            standard = isolation
        } else if (try? DecoderIsolation.all.check()) != nil {
            // Whatever is decoded here comes from outside.
            standard = .all
        }
    }
}
