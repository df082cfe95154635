/// An option of the server, by its name in a file: `limits.seconds` is `FIRN_LIMITS_SECONDS` in the environment.
///
/// The table ``all`` is the only list of options. Files, variables, `--check`, the example and the status page are
/// generated from it.
package struct ServeOption: Sendable {
    enum Kind: String {
        case text = "a text"
        case number = "a whole number"
        case flag = "true or false"
        case list = "a list of texts"
    }

    typealias Place<Value> = WritableKeyPath<ServeConfiguration, Value> & Sendable

    let name: String
    let kind: Kind
    /// The meaning, in one line.
    private(set) var about = ""
    /// True if its value must not be shown.
    private(set) var isSecret = false
    /// True if a reload can change it. Other options need a restart.
    let isLive: Bool
    /// The value in the example instead of the default.
    private(set) var example: OptionValue?
    /// Variables of other programs that also set the option, and what their values mean for it; empty for nothing.
    private(set) var others: [(variable: String, meaning: @Sendable (String) -> String)] = []
    /// Returns the current value; `nil` if there is none.
    let read: @Sendable (ServeConfiguration) -> OptionValue?
    /// Sets a value; throws an error that describes valid values.
    let write: @Sendable (inout ServeConfiguration, OptionValue) throws -> Void
    /// Copies the value of the first configuration to the second.
    let copy: @Sendable (ServeConfiguration, inout ServeConfiguration) -> Void

    /// An option that a reload can change.
    static func live<Value>(
        _ name: String, _ place: any Place<Value>, _ coding: OptionCoding<Value>, isLive: Bool = true
    ) -> ServeOption {
        ServeOption(
            name: name, kind: coding.kind, isLive: isLive, read: { coding.encode($0[keyPath: place]) },
            write: { $0[keyPath: place] = try coding.decode($1) }, copy: { $1[keyPath: place] = $0[keyPath: place] })
    }

    /// An option that needs a restart.
    static func fixed<Value>(_ name: String, _ place: any Place<Value>, _ coding: OptionCoding<Value>) -> ServeOption {
        live(name, place, coding, isLive: false)
    }

    func about(_ text: String) -> ServeOption { with { $0.about = text } }
    func example(_ value: OptionValue) -> ServeOption { with { $0.example = value } }
    func also(_ variable: String, _ meaning: @escaping @Sendable (String) -> String = { $0 }) -> ServeOption {
        with { $0.others.append((variable, meaning)) }
    }
    func secret() -> ServeOption { with { $0.isSecret = true } }

    private func with(_ change: (inout ServeOption) -> Void) -> ServeOption {
        var option = self
        change(&option)
        return option
    }

    /// The name of its environment variable.
    var variable: String { "FIRN_" + String(name.uppercased().map { $0 == "." || $0 == "-" ? "_" : $0 }) }

    package static subscript(_ name: String) -> ServeOption? { all.first { $0.name == name } }

    /// Returns the value for display, without secrets.
    func shown(_ configuration: ServeConfiguration) -> String {
        guard let value = read(configuration), value != .text(""), value != .list([]) else { return "(none)" }
        return isSecret ? "(set)" : value.shown
    }

    /// Parses a value of this kind. Lists are separated by commas.
    ///
    /// - Returns: `nil` if the text is of another kind.
    package func value(_ text: String) -> OptionValue? {
        switch kind {
        case .text: .text(text)
        case .number: Int(text).map(OptionValue.number)
        case .flag:
            switch text.lowercased() {
            case "true", "yes", "1": .flag(true)
            case "false", "no", "0": .flag(false)
            default: nil
            }
        case .list: .list(text.split(separator: ",").map { String(Substring(FieldList.trimmed($0.utf8))) })
        }
    }

    /// Converts a value from a file to this kind. Numbers and flags convert to each other.
    ///
    /// - Returns: `nil` if it is of another kind.
    func value(_ stored: OptionValue?) -> OptionValue? {
        switch (kind, stored) {
        case (.flag, .number(let number)): .flag(number != 0)
        case (.number, .flag(let flag)): .number(flag ? 1 : 0)
        case (.text, .text), (.number, .number), (.flag, .flag), (.list, .list): stored
        default: nil
        }
    }

    /// All options, in the order in which they are shown.
    static let all = addresses + signatures + sources + stores + responses + bounds + reports + tracing

    private static let addresses: [ServeOption] = [
        fixed("listen", \.listen, .text(\.description) { try ListenAddress(named: $0) })
            .about("Where images are served. Port 0 is any free one."),
        fixed("admin", \.admin, .text(\.?.description) { $0.isEmpty ? nil : try ListenAddress(named: $0) })
            .example(.text("127.0.0.1:9090"))
            .about("Where /metrics, /status and a second /health are; no address for nowhere."),
        live("trusted-proxies", \.settings.trustedProxies, .list("an address or a range") { .init($0) })
            .about("Proxies whose fields X-Forwarded-… and Forwarded are read: 10.0.0.0/8, ::1."),
        fixed("drain-seconds", \.settings.drainDelay, .seconds(0...3600))
            .about("How long requests are taken after SIGTERM, with /health at 503, so that load balancers turn away."),
    ]

    private static let signatures: [ServeOption] = [
        live("key", \.keys, .text).secret().about("Keys of signatures in hexadecimal digits, by commas."),
        live("salt", \.salts, .text).secret().about("Salts of signatures, as many as keys."),
        live("signature-size", \.settings.imgproxy.signatureSize, .number(8...32)).about("The bytes of a signature."),
        live("trusted-signatures", \.settings.imgproxy.trustedSignatures, .list({ $0 }, { $0 }))
            .secret().about("Signatures that pass literally."),
        live("show-signed-text", \.settings.imgproxy.showsSignedText, .flag)
            .about("A response to a refused signature has the text that is signed; for development."),
        fixed("insecure", \.settings.imgproxy.isInsecure, .flag).about("Accepts unsigned addresses; on loopback only."),
    ]

    private static let sources: [ServeOption] = [
        fixed("local-root", \.settings.localRoot, .optional)
            .example(.text("/srv/images")).about("The folder of local:/// sources and of IIIF identifiers."),
        live("allow", \.settings.allowedHosts, .list("a host") { AllowedHost($0) })
            .example(.list(["images.example.org"]))
            .about("Hosts of sources: example.org, *.example.org, example.org:8080."),
        live("s3-sources", \.s3Sources, .list({ $0 }, { $0 }))
            .about("Buckets of s3:// sources: s3://bucket[/prefix][?endpoint=…&region=…]."),
        live("source-fields", \.settings.sourceFields, .fields(isForSources: true))
            .secret()
            .about("Fields that a host of sources gets: HOST NAME: VALUE; HOST NAME passes on the client's."),
        live("base-url", \.settings.imgproxy.baseURL, .text).about("What is put in front of short sources."),
        fixed("cache", \.settings.cacheDirectory, .optional)
            .example(.text("/var/cache/firn")).about("A folder that keeps sources and results; none for memory only."),
        fixed("shared-cache", \.settings.isCacheShared, .flag)
            .about("Uses the cache folder although other users can write to it."),
        live("watermark", \.watermark, .optional).about("The image that the option watermark lays over results."),
        fixed(
            "isolation", \.isolation,
            .optional("one of \(DecoderIsolation.Name.allCases.map(\.rawValue).joined(separator: ", "))") {
                DecoderIsolation.Name(rawValue: $0) != nil
            }
        )
        .about("Formats that are decoded in confined processes: all, complex, none. Default: all, if installed."),
    ]

    private static let stores: [ServeOption] = [
        fixed("redis", \.settings.redis, .text({ $0.map { _ in "set" } }) { $0.isEmpty ? nil : try RedisAddress($0) })
            .secret().about("Where servers share results: redis://[[user]:password@]host[:port]."),
        fixed("s3", \.s3, .optional)
            .about("The bucket where servers share results: s3://bucket[/prefix][?endpoint=…&region=…]."),
        fixed(
            "redis-milliseconds", \.settings.redisTimeLimit,
            .number(1...10_000, { Int($0 / .milliseconds(1)) }, { .milliseconds($0) })
        )
        .about("How long a reply of Redis may take; then the server does without."),
    ]

    private static let responses: [ServeOption] = [
        live("path-prefix", \.settings.imgproxy.pathPrefix, .text).about("What signed paths start with, as /img."),
        live("presets", \.settings.imgproxy.presets, .presets)
            .example(.list(["thumbnail=rs:fill:200:200/q:70"])).about("Presets: NAME=OPTION/OPTION."),
        live("only-presets", \.settings.imgproxy.onlyPresets, .flag).about("Allows presets and no other options."),
        live("client-hints", \.settings.imgproxy.usesClientHints, .flag)
            .about("Uses the fields DPR, Width and Save-Data of requests."),
        live("formats", \.settings.imgproxy.automaticFormats, .formats([.webp, .avif, .jxl]))
            .example(.list(["avif", "webp"]))
            .about("Formats that are chosen for clients that accept them, if a request names none."),
        live("enforced-formats", \.settings.imgproxy.enforcedFormats, .formats([.webp, .avif, .jxl]))
            .about("The same, also if a request names a format."),
        live(
            "preferred-formats", \.settings.imgproxy.preferredFormats,
            .list({ $0.map(\.rawValue) }) { list in
                try list.map {
                    try ImgproxyFormat(named: $0, of: [.jpeg, .png, .webp, .avif, .gif, .jxl, .tiff, .bmp, .ico])
                }
            }
        )
        .about("Formats of results that nothing else decides, the best first."),
        live("quality", \.settings.imgproxy.quality, .number(1...100)).about("The quality of lossy results."),
        live("format-quality", \.settings.imgproxy.formatQuality, .qualities)
            .about("The quality of results of a format: FORMAT=QUALITY."),
        live("webp-effort", \.settings.imgproxy.effort.webp, .number(0...6))
            .about("How long the WebP encoder works for a smaller file: 0 to 6, the slowest."),
        live("avif-speed", \.settings.imgproxy.effort.avifSpeed, .number(0...10))
            .about("The speed of the AVIF encoder: 0 to 10, the fastest and largest."),
        live("jxl-effort", \.settings.imgproxy.effort.jxl, .number(1...9))
            .about("How long the JPEG XL encoder works for a smaller file: 1 to 9, the slowest."),
        live(
            "allowed-options", \.settings.imgproxy.allowedOptions,
            .list({ $0?.sorted() ?? [] }) { $0.isEmpty ? nil : Set($0) }
        )
        .about("The names of options that addresses may have, presets apart; none for all."),
        live("strip-metadata", \.settings.imgproxy.stripMetadata, .flag)
            .about("Removes EXIF data, XMP and IPTC records from results, unless strip_metadata says otherwise."),
        live("keep-copyright", \.settings.imgproxy.keepCopyright, .flag)
            .about("Keeps creator and rights of stripped metadata as EXIF data, unless keep_copyright says otherwise."),
        live("raw", \.settings.imgproxy.allowRaw, .flag)
            .about("Allows the option raw: sources are passed on as they are, once they were found to be images."),
        live(
            "argument-separator", \.settings.imgproxy.argumentSeparator,
            .text({ String(Unicode.Scalar($0)) }) { text in
                guard text.utf8.count == 1, let byte = text.utf8.first, (0x21...0x7E).contains(byte),
                    !"/%?#@".utf8.contains(byte)
                else { throw ConfigurationError("is not one character that addresses may have") }
                return byte
            }
        )
        .about("What separates the arguments of an option in addresses."),
        live("base64-filename", \.settings.imgproxy.base64IncludesFilename, .flag)
            .about("The last part of a base64 source is a file name without meaning."),
        live("secret", \.settings.imgproxy.secret, .optional)
            .secret().about("What requests must have as Authorization: Bearer; IIIF does not."),
        live(
            "allow-origin", \.settings.imgproxy.allowedOrigin,
            .optional("* or an origin") { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        )
        .about("The field Access-Control-Allow-Origin of results: * or an origin."),
        live("canonical-link", \.settings.imgproxy.linksSources, .flag)
            .about("Results of HTTP sources name them in the field Link."),
        live("fallback-image", \.settings.imgproxy.fallbackImage, .optional)
            .about("The file of an image that is served where a source fails."),
        live("fallback-status", \.settings.imgproxy.fallbackStatus, .number(0...599))
            .about("The status with which it is served; 0 for that of the failure."),
        live("cache-tag", \.settings.sendsCacheTag, .flag)
            .about("Results name their source in the field Cache-Tag, by which a CDN can purge them."),
        live("max-age", \.settings.imgproxy.timeToLive, .number(0...31_536_000))
            .about("Cache-Control of results, in seconds."),
        live("cache-control-passthrough", \.settings.imgproxy.followsSources, .flag)
            .about("Cache-Control and Expires of a source bound those of its results."),
        live("response-fields", \.settings.responseFields, .fields(isForSources: false))
            .about("Fields of responses: NAME: VALUE; NAME passes on the source's."),
    ]

    private static let bounds: [ServeOption] = [
        live("iiif.megapixels", \.settings.iiif.sources.maximumPixels, .number(1...2000, of: 1_000_000))
            .about("The largest source of IIIF, of which parts are decoded, in megapixels."),
        fixed("iiif.tiles-mebibytes", \.settings.iiif.tileBytes, .number(0...16_777_216, of: 1 << 20))
            .about("Tiles of large images in the cache folder, in MiB; 0 for none."),
        live("limits.megapixels", \.settings.limits.maximumPixels, .number(1...1000, of: 1_000_000))
            .about("The largest source, in megapixels."),
        live("limits.source-mebibytes", \.settings.limits.maximumBytes, .number(1...1024, of: 1 << 20))
            .about("The largest source, in MiB."),
        live("limits.result-side", \.settings.imgproxy.limits.resultSide, .number(16...65_535))
            .about("The longest side of a result, in pixels."),
        live("limits.animation-frames", \.settings.imgproxy.limits.animationFrames, .number(1...10_000))
            .about("The first frames of an animation that are served; 1 makes it a still."),
        live("limits.seconds", \.settings.timeLimit, .seconds(1...600))
            .about("The time of a request: queue, source, work."),
        live("limits.requests", \.settings.admission.total, .number(1...100_000))
            .about("Requests that compute or wait for a core."),
        live("limits.transfers", \.settings.admission.transfers, .number(1...100_000))
            .about("Transfers from sources at once, at most a third of the open files; further ones wait."),
        live("limits.per-client", \.settings.admission.perClient, .number(1...100_000))
            .about("Requests of one client address that compute or wait for a core."),
        live("limits.per-source", \.settings.admission.perHost, .number(1...100_000))
            .about("Transfers at once from one source host; fewer while it does not respond in time."),
        fixed("limits.connections", \.settings.connections.most, .number(16...1_000_000))
            .about("Open connections. Above it, the connection that was idle for longest is closed."),
        fixed("limits.first-request-seconds", \.settings.connections.firstRequest, .seconds(1...600))
            .about("How long a new connection may take to send its first request."),
        fixed("limits.idle-seconds", \.settings.connections.idle, .seconds(1...3600))
            .about("How long a connection is kept between requests."),
        fixed("limits.response-seconds", \.settings.connections.response, .seconds(1...3600))
            .about("How long a request may take until its response is read."),
        fixed("memory.results-mebibytes", \.settings.resultMemory, .number(0...65_536, of: 1 << 20))
            .about("Results in memory, in MiB."),
        fixed("file-seconds", \.settings.fileFreshness, .seconds(0...3600))
            .about("How long a local file is served without a look at it."),
        live("result-seconds", \.settings.resultLifetime, .seconds(0...31_536_000))
            .about("How long a result of an HTTP source is served without a look at the source."),
        live("stale-seconds", \.settings.staleLifetime, .seconds(0...31_536_000))
            .about("How long it is served after that, while it is made again in the background."),
    ]

    private static let reports: [ServeOption] = [
        fixed("log.format", \.logFormat, .choice).about("How log lines look: text or json."),
        fixed("log.level", \.logLevel, .choice)
            .about("The least important lines: debug, info (each request), notice, warning, error."),
    ]

    private static let tracing: [ServeOption] = [
        fixed(
            "tracing.endpoint", \.settings.tracing.endpoint,
            .optional("an http or https address") { WebAddress($0) != nil }
        )
        .also("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        .also("OTEL_EXPORTER_OTLP_ENDPOINT") { $0 + ($0.hasSuffix("/") ? "" : "/") + "v1/traces" }
        .about("Where spans are sent, as http://127.0.0.1:4318/v1/traces; no address for nowhere."),
        fixed("tracing.headers", \.settings.tracing.headers, .headers)
            .also("OTEL_EXPORTER_OTLP_TRACES_HEADERS").also("OTEL_EXPORTER_OTLP_HEADERS")
            .secret().about("Fields of these requests: NAME=VALUE, with the value percent-encoded."),
        fixed("tracing.service", \.settings.tracing.service, .text)
            .also("OTEL_SERVICE_NAME").about("The name of the service in traces."),
        fixed(
            "tracing.sampled", \.settings.tracing.sampled,
            .text({ "\($0)" }) { text in
                let share = Double(text).flatMap { (0...1).contains($0) ? $0 : nil }
                return try ConfigurationError.checked(share, text, "a number from 0 to 1")
            }
        )
        .also("OTEL_TRACES_SAMPLER") { $0.hasSuffix("always_on") ? "1" : $0.hasSuffix("always_off") ? "0" : "" }
        .also("OTEL_TRACES_SAMPLER_ARG").about("The share of new traces that are exported, from 0 to 1."),
    ]
}

package enum OptionValue: Sendable, Equatable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([String])

    /// The value in one line.
    var shown: String {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        case .list(let list): list.joined(separator: ", ")
        }
    }
}
