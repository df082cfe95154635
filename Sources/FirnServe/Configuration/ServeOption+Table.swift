import FirnCodecs

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
        seconds(
            "drain-seconds", \.settings.drainDelay, in: 0...3600, isLive: false,
            "How long requests are taken after SIGTERM, with /health at 503, so that load balancers turn away."),
    ]

    static let signatures = [
        text("key", \.keys, isSecret: true, isLive: true, "Keys of signatures in hexadecimal digits, by commas."),
        text("salt", \.salts, isSecret: true, isLive: true, "Salts of signatures, as many as keys."),
        number("signature-size", \.settings.imgproxy.signatureSize, in: 8...32, "The bytes of a signature."),
        list(
            "trusted-signatures", isSecret: true, "Signatures that pass literally.",
            read: { $0.settings.imgproxy.trustedSignatures },
            write: { (configuration, list) throws(ConfigurationError) in
                configuration.settings.imgproxy.trustedSignatures = list
            }),
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
                var hosts: [AllowedHost] = []
                for text in list {
                    guard let host = AllowedHost(text) else {
                        throw ConfigurationError("'\(ServeError.printable(text.utf8))' is not a host")
                    }
                    hosts.append(host)
                }
                configuration.settings.allowedHosts = hosts
            }),
        list(
            "s3-sources", "Buckets of s3:// sources: s3://bucket[/prefix][?endpoint=…&region=…].",
            read: { $0.s3Sources },
            write: { (configuration, list) throws(ConfigurationError) in configuration.s3Sources = list }),
        text("base-url", \.settings.imgproxy.baseURL, isLive: true, "What is put in front of short sources."),
        optionalText(
            "cache", \.settings.cacheDirectory, example: .text("/var/cache/firn"),
            "A folder that keeps sources and results; none for memory only."),
        parsed(
            "watermark", isLive: true, "The image that the option watermark lays over results.",
            read: { $0.watermark },
            write: { (configuration, text) throws(ConfigurationError) in
                configuration.watermark = text.isEmpty ? nil : text
            }),
        parsed(
            "isolation",
            "Formats that are decoded in confined processes: all, complex, none. Default: all, if installed.",
            read: { $0.isolation },
            write: { (configuration, text) throws(ConfigurationError) in
                guard text.isEmpty || DecoderIsolation.names.contains(text) else {
                    throw ConfigurationError("is not one of \(DecoderIsolation.names.joined(separator: ", "))")
                }
                configuration.isolation = text.isEmpty ? nil : text
            }),
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
        list(
            "formats", example: .list(["avif", "webp"]),
            "Formats that are chosen for clients that accept them, if a request names none.",
            read: { $0.settings.imgproxy.automaticFormats.sorted().map(\.rawValue) },
            write: { (configuration, list) throws(ConfigurationError) in
                var formats: Set<ImgproxyFormat> = []
                for name in list {
                    guard let format = ImgproxyFormat(name: name), [.webp, .avif, .jxl].contains(format) else {
                        throw ConfigurationError(
                            "'\(ServeError.printable(name.utf8))' is not one of webp, avif, jxl")
                    }
                    formats.insert(format)
                }
                configuration.settings.imgproxy.automaticFormats = formats
            }),
        number("quality", \.settings.imgproxy.quality, in: 1...100, "The quality of lossy results."),
        number("max-age", \.settings.imgproxy.timeToLive, in: 0...31_536_000, "Cache-Control of results, in seconds."),
    ]

    static let reports = [
        parsed(
            "log.format", "How log lines look: text or json.", read: { $0.logFormat.rawValue },
            write: { (configuration, text) throws(ConfigurationError) in
                guard let format = ServeLogFormat(rawValue: text) else {
                    throw ConfigurationError("is not one of text, json")
                }
                configuration.logFormat = format
            }),
        parsed(
            "log.level", "The least important lines: debug, info (each request), notice, warning, error.",
            read: { $0.logLevel.rawValue },
            write: { (configuration, text) throws(ConfigurationError) in
                guard let level = ServeLogLevel(rawValue: text) else {
                    throw ConfigurationError("is not one of debug, info, notice, warning, error")
                }
                configuration.logLevel = level
            }),
    ]

    private static func address(_ text: String) throws(ConfigurationError) -> ListenAddress {
        guard let address = ListenAddress(text) else {
            throw ConfigurationError("'\(ServeError.printable(text.utf8))' is not HOST:PORT")
        }
        return address
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
