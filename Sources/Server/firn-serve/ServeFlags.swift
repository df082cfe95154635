import ArgumentParser
import FirnServe

/// The options of `firn serve` on the command line. They take precedence over the environment and the file.
struct ServeFlags: ParsableArguments {
    @Option(help: ArgumentHelp("Where to listen. Port 0 is any free one.", valueName: "host:port"))
    var listen: String?

    @Option(help: ArgumentHelp("Where /metrics and /status are. Default: nowhere.", valueName: "host:port"))
    var admin: String?

    @Option(help: ArgumentHelp("The folder of local:// sources.", valueName: "dir"))
    var localRoot: String?

    @OptionGroup
    var keys: SigningKeys

    @Flag(help: "Accept addresses without a valid signature. On loopback addresses only.")
    var insecure = false

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            """
            Hosts that sources may come from: example.org, *.example.org or example.org:8080. May be repeated. Other \
            addresses than those of the public Internet are refused, unless they are named here.
            """,
            valueName: "host"))
    var allow: [String] = []

    @Option(help: ArgumentHelp("A folder that keeps sources and results. Default: memory only.", valueName: "dir"))
    var cache: String?

    @Flag(help: "Use the cache folder although other users can write to it.")
    var sharedCache = false

    @Option(help: ArgumentHelp("Where servers share results. With a password, better FIRN_REDIS.", valueName: "url"))
    var redis: String?

    @Option(help: ArgumentHelp("The bucket where servers share results: s3://bucket/prefix.", valueName: "url"))
    var s3: String?

    @Option(help: ArgumentHelp("The image that the option 'watermark' lays over results.", valueName: "file"))
    var watermark: String?

    @Option(
        help: ArgumentHelp(
            """
            Decode in confined processes: all formats, complex ones (HEIC, AVIF, JPEG XL, TIFF, SVG), or none. \
            Default: all, if firn-decoder is installed.
            """,
            valueName: "all|complex|none"))
    var isolation: String?

    @Option(help: ArgumentHelp("How log lines on standard error look.", valueName: "text|json"))
    var logFormat: String?

    @Option(
        help: ArgumentHelp(
            "The least important log lines. info logs each request.", valueName: "debug|info|notice|warning|error"))
    var logLevel: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Any other option by its name in the file, as limits.seconds=5. Lists are separated by commas. Repeatable.",
            valueName: "name=value"))
    var others: [String] = []

    func values() throws -> [String: OptionValue] {
        var values: [String: OptionValue] = [:]
        for text in others {
            guard let sign = text.firstIndex(of: "=") else { throw ValidationError("--set \(text): is not NAME=VALUE") }
            let name = String(text[..<sign])
            guard let option = ServeOption[name] else {
                throw ValidationError("--set \(name): there is no such option")
            }
            guard let value = option.value(String(text[text.index(after: sign)...])) else {
                throw ValidationError("--set \(name): the value has the wrong kind")
            }
            values[name] = value
        }
        let strings = [
            ("listen", listen), ("admin", admin), ("local-root", localRoot), ("key", keys.key), ("salt", keys.salt),
            ("cache", cache), ("redis", redis), ("s3", s3), ("watermark", watermark), ("isolation", isolation),
            ("log.format", logFormat), ("log.level", logLevel),
        ]
        for case (let name, let text?) in strings { values[name] = .text(text) }
        if sharedCache { values["shared-cache"] = .flag(true) }
        if insecure { values["insecure"] = .flag(true) }
        if !allow.isEmpty { values["allow"] = .list(allow) }
        return values
    }
}

struct SigningKeys: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key of signatures, in hexadecimal digits; several, separated by commas.", valueName: "hex"))
    var key: String?

    @Option(help: ArgumentHelp("The salt of signatures, as many as keys.", valueName: "hex"))
    var salt: String?

    /// Returns the pairs; empty if neither option is given.
    func pairs() throws -> [ImgproxyKeyPair] {
        guard key != nil || salt != nil else { return [] }
        // Order: values are not shown, since they are secrets.
        guard let key, let salt, let pairs = ImgproxyKeyPair.pairs(hexKeys: key, hexSalts: salt) else {
            throw ValidationError("--key and --salt: give as many salts as keys, in hexadecimal digits.")
        }
        return pairs
    }
}
