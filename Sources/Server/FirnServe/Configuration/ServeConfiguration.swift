/// The operator's configuration: sources and results, addresses, and logs.
package struct ServeConfiguration: Sendable {
    package var settings = ServeSettings()
    package var listen = ListenAddress(host: "127.0.0.1", port: 8080)
    /// The address of metrics and the status page; `nil` (the default) for none.
    package var admin: ListenAddress?
    /// The name of the decoder isolation; `nil` for the strictest installed one.
    package var isolation: String?
    /// The path of the image for the option `watermark`.
    var watermark: String?
    /// The bucket of results and those of sources, unparsed.
    var s3: String?
    var s3Sources: [String] = []
    /// The environment variables, which contain the keys and the region of S3.
    var environment: [String: String] = [:]
    package var logFormat = ServeLogFormat.text
    package var logLevel = ServeLogLevel.notice
    /// Keys and salts in hexadecimal digits, separated by commas.
    var keys = ""
    var salts = ""

    /// Copies the options that only a restart can change.
    mutating func keepFixedOptions(of current: ServeSettings) {
        let current = ServeConfiguration(settings: current)
        for option in ServeOption.all where !option.isLive { option.copy(current, &self) }
        // The option `s3` is a string, which is parsed with the environment.
        (settings.s3Results, settings.s3ResultLimits) = (current.settings.s3Results, current.settings.s3ResultLimits)
    }

    /// Checks options that depend on each other and reads the files that they name.
    mutating func finish() throws(ConfigurationError) {
        if !keys.isEmpty || !salts.isEmpty {
            // The error does not show the values, since they are secrets.
            guard !salts.isEmpty, let pairs = ImgproxyKeyPair.pairs(hexKeys: keys, hexSalts: salts) else {
                throw ConfigurationError("key, salt: give as many salts as keys, in hexadecimal digits")
            }
            settings.imgproxy.keyPairs = pairs
        }
        try listen.checkKeys(settings.imgproxy)
        settings.imgproxy.limits.sourceMegapixels = Double(settings.limits.maximumPixels / 1_000_000)
        settings.iiif.side = settings.imgproxy.limits.resultSide
        settings.imgproxy.watermark = try watermark.map { file throws(ConfigurationError) in
            try ConfigurationError.named("watermark") { try Watermark(file: file, limits: settings.limits) }
        }
        if let file = settings.imgproxy.fallbackImage {
            guard let status = try? LocalFileSystem().status(file), status.isRegular else {
                throw ConfigurationError("fallback-image: there is no such file")
            }
        }
        if settings.imgproxy.secret != nil,
            settings.clientFields.contains(where: { $0.lowercased() == "authorization" })
        {
            throw ConfigurationError("source-fields: Authorization has the secret of this server")
        }
        if s3 != nil || !s3Sources.isEmpty { try finishS3() }
        let isOff = environment["OTEL_SDK_DISABLED"]?.lowercased() == "true"
        if isOff || environment["OTEL_TRACES_EXPORTER"] == "none" { settings.tracing.endpoint = nil }
        guard settings.connections.response > settings.timeLimit else {
            throw ConfigurationError("limits.response-seconds: is not more than limits.seconds")
        }
        for name in settings.imgproxy.presets.keys.sorted() {
            var reader = ImgproxyOptionReader(settings: settings.imgproxy)
            do throws(ServeError) { try reader.applyPresets([name]) } catch {
                throw ConfigurationError("presets: \(name): \(error.message)")
            }
        }
    }

    /// Parses the S3 addresses, whose region and endpoint may come from the environment.
    private mutating func finishS3() throws(ConfigurationError) {
        let region = S3Credentials.region(environment)
        let server = environment["AWS_ENDPOINT_URL_S3"] ?? environment["AWS_ENDPOINT_URL"]
        let address = { (text: String) in try S3Address(text, region: region, server: server) }
        settings.s3Results = try ConfigurationError.named("s3") { try s3.map(address) }
        settings.s3Sources = try ConfigurationError.named("s3-sources") { try s3Sources.map(address) }
        settings.s3Credentials = try ConfigurationError.named("s3-sources") {
            try S3CredentialStore(environment: environment)
        }
    }
}

package enum ServeLogFormat: String, Sendable, CaseIterable { case text, json }

package enum ServeLogLevel: String, Sendable, CaseIterable { case debug, info, notice, warning, error }

/// The address on which a server listens: `127.0.0.1:8080`, `[::1]:8080`. Port 0 selects a free one.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    let host: String
    let port: Int

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension ListenAddress {
    init(named text: String) throws(ConfigurationError) {
        self = try ConfigurationError.checked(ListenAddress(text), text, "HOST:PORT")
    }

    /// - Returns: `nil` if the text is not HOST:PORT.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    /// The URL of a server at the host.
    package func url(port: Int) -> String { "http://\(ListenAddress(host: host, port: port))" }

    /// Checks that paths are signed, unless the server is insecure and listens on loopback.
    func checkKeys(_ settings: ImgproxySettings) throws(ConfigurationError) {
        guard settings.keyPairs.isEmpty else { return }
        guard settings.isInsecure else {
            throw ConfigurationError("there are no keys; give --key and --salt, or --insecure on loopback")
        }
        guard ["127.0.0.1", "::1", "localhost"].contains(host) else {
            throw ConfigurationError("--insecure is allowed on loopback addresses only, not on \(self)")
        }
    }
}

extension DecoderIsolation {
    /// Sets the decoder isolation of this process.
    ///
    /// - Parameter name: the name of the isolation; `nil` for the strictest installed one.
    package static func use(_ name: String?) throws(ConfigurationError) {
        if let isolation = name.flatMap({ DecoderIsolation.Name(rawValue: $0) }).map(DecoderIsolation.init) {
            try ConfigurationError.named("isolation") { try isolation.check() }
            standard = isolation
        } else if (try? DecoderIsolation.all.check()) != nil {
            // All images that are decoded here are untrusted.
            standard = .all
        }
    }
}
