/// The options for loading sources and for showing their names.
struct SourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Keep originals in this folder. Default: the user's cache folder.", valueName: "dir"),
        completion: .directory)
    var cache: String?

    @Flag(name: .customLong("no-cache"), help: "Neither read nor write a cache on disk.")
    var noCache = false

    @Flag(help: "Use the cache's folder although other users can write to it.")
    var sharedCache = false

    @Option(help: ArgumentHelp("End each transfer after this time, such as 1.5 or 2m.", valueName: "seconds"))
    var timeout: TimeLimitArgument?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp(
            "Send this header field with requests for URLs, except for those of lists. May be repeated.",
            valueName: "name: value"),
        transform: { text in
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2, !text.contains(where: \.isNewline) else {
                throw ValidationError("--header takes NAME: VALUE, such as 'Accept: image/webp'.")
            }
            return (name: parts[0], value: String(parts[1].drop { $0 == " " }))
        })
    var header: [(name: String, value: String)] = []

    @Option(help: LimitsArgument.help)
    var limits: LimitsArgument?

    @Flag(help: "Allow private addresses in @lists: those of this machine and its local network.")
    var trustLists = false

    @Flag(help: "Print whole URLs. By default, user names, passwords and secrets in queries are removed.")
    var showQueries = false

    func validate() throws {
        if cache != nil, noCache { throw ValidationError("--cache and --no-cache exclude each other.") }
        if sharedCache, noCache { throw ValidationError("--shared-cache and --no-cache exclude each other.") }
    }

    /// The kinds of sources, for help texts.
    static let kinds = """
        A source is a file, a folder (searched for images, by content), a URL, @list.txt with one source per line, @- \
        for such a list on the standard input, or - for an image on the standard input.
        """

    static var sourcesHelp: ArgumentHelp {
        ArgumentHelp(
            "Files, folders, URLs, @lists (@- for the standard input), or - for an image on the standard input.",
            valueName: "src")
    }

    var headers: HTTPHeaderFields { HTTPHeaderFields(header) }

    var redaction: AddressRedaction { AddressRedaction(showsQueries: showQueries) }
}

/// A time limit: seconds, with an optional fraction, or a number with `s`, `m` or `h`.
struct TimeLimitArgument: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        guard let (number, unit) = argument.number(Double.self, in: ["s": 1, "m": 60, "h": 3_600]) else { return nil }
        let seconds = number * (unit ?? 1)
        guard seconds > 0, seconds <= 1_000_000 else { return nil }
        duration = .seconds(seconds)
    }
}

struct IsolationOptions: ParsableArguments {
    @Option(help: IsolationOptions.help)
    var isolation: DecoderIsolation.Name?

    static let help = ArgumentHelp(
        """
        Decode in confined processes: all formats, complex ones (HEIC, AVIF, JPEG XL, TIFF, SVG), or none. \
        Default: complex, if firn-decoder is installed.
        """,
        valueName: "formats")

    func validate() throws { try IsolationOptions.set(isolation) }

    /// Sets the isolation of all decoders before the command runs.
    static func set(_ isolation: DecoderIsolation.Name?) throws {
        guard let isolation = isolation.map(DecoderIsolation.init) else { return }
        do throws(ImageError) {
            try isolation.check()
        } catch {
            throw ValidationError("--isolation: \(error)")
        }
        DecoderIsolation.standard = isolation
    }
}

/// The sources of `load` and `thumbnail`.
struct BatchOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print the times of each transfer: look-up, connection, first byte, bytes.")
    var verbose = false

    @Argument(help: SourceOptions.sourcesHelp, completion: .file())
    var sources: [String]

    func check(_ report: ReportOptions) throws {
        if report.quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
    }
}

/// The options of a command for many sources: its output, concurrency and isolation.
///
/// A debug build of ArgumentParser checks a group again for each check of the group around it, so no group is in
/// another.
struct ReportOptions: ParsableArguments {
    @Flag(help: "Print one JSON object for each source.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print failures only.")
    var quiet = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            """
            Process at most this many images at once. Default: the number of cores; 6 for load, and one more than the \
            number of cores for thumbnail.
            """,
            valueName: "n"))
    var jobs: Int?

    @Option(help: IsolationOptions.help)
    var isolation: DecoderIsolation.Name?

    func validate() throws {
        try IsolationOptions.set(isolation)
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs takes a number from 1 to 1024.") }
    }
}
