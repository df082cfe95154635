import ArgumentParser
import Firn
import FirnReport
import FirnServe
import Logging

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve images over HTTP: resized, cropped, converted.",
        discussion: """
            URLs are those of imgproxy: /SIGNATURE/OPTIONS/plain/SOURCE@FORMAT, where SOURCE is local:///PATH below \
            --local-root, or a URL of a host that --allow names. Each result is made once and kept in memory and in \
            --cache. 'firn sign' makes URLs.

            Options come from --config, then from the environment (FIRN_LISTEN, FIRN_KEY, ...), then from the command \
            line. The last one wins. --check shows them all.

            Prints 'listening on http://HOST:PORT' when it is ready. SIGTERM ends it after the accepted requests. \
            SIGHUP reloads keys, hosts, presets and limits.

            EXAMPLES
              firn serve --insecure --local-root ~/Images
              firn serve --key 736563726574 --salt 68656c6c6f --allow images.example.org
              firn serve --print-example > firn.json; firn serve --config firn.json --check
              firn sign /rs:fit:300:200/plain/local:///a.jpg --key 736563726574 --salt 68656c6c6f

            EXIT STATUS
              0: ended by a signal; 1: the address cannot be used; 2: wrong usage or
              configuration, or no keys.
            """)

    @Option(help: ArgumentHelp("A configuration file in JSON.", valueName: "file"))
    var config: String?

    @OptionGroup
    var flags: ServeFlags

    @Flag(help: "Check the configuration, print each option with its origin, and end.")
    var check = false

    @Flag(help: "Print an example of a configuration file, with fresh keys, and end.")
    var printExample = false

    func run() async throws {
        do { try await start() } catch let error as ConfigurationError { throw ValidationError(error.description) }
    }

    private func start() async throws {
        if printExample { return show(ConfigurationExample.text()) }
        var layers = ConfigurationLayers()
        layers.flags = try flags.values()
        layers.file = config
        let loaded = try layers.load()
        let configuration = loaded.configuration
        try DecoderIsolation.use(configuration.isolation)
        if check {
            try await configuration.settings.checkStores()
            return show(loaded.rows.map { "\($0.name) = \($0.value) (\($0.origin))" }.joined(separator: "\n"))
        }
        try configuration.settings.checkCache()
        LoggingSystem.bootstrap { [configuration] _ in
            ServeLogHandler(configuration.logFormat, level: configuration.logLevel)
        }
        if let failure = configuration.settings.cacheFailure() {
            Logger(label: "firn").warning("cache: nothing is kept on disk", metadata: ["reason": "\(failure.message)"])
        }
        let (files, connections) = (FileLimit.raise(), configuration.settings.connections.most)
        // Sources, caches and decoders need files, too.
        if connections > files - 256 {
            Logger(label: "firn").warning(
                "limits.connections is near the limit of open files", metadata: ["files": "\(files)"])
        }
        try await serve(loaded, layers)
    }

    private func serve(_ loaded: LoadedConfiguration, _ layers: ConfigurationLayers) async throws {
        let configuration = loaded.configuration
        let listen = configuration.listen
        let server = try ImageServer(
            configuration.settings, listen: listen, admin: configuration.admin, options: loaded.rows,
            logger: Logger(label: "firn"))
        let (listening, started) = AsyncStream<Void>.makeStream()
        do {
            try await server.run(
                reload: { () throws(ConfigurationError) in try layers.load() },
                onAdmin: { port in
                    // The line of the image server comes first, whichever port opens first.
                    for await _ in listening {}
                    guard let admin = configuration.admin, !Task.isCancelled else { return }
                    StandardOutput.line("admin on \(admin.url(port: port))")
                },
                onListening: { port in
                    StandardOutput.line("listening on \(listen.url(port: port))")
                    started.finish()
                })
        } catch {
            StandardError.line("firn: serve: \(listen): \(error)")
            throw ExitCode.failure
        }
    }

    private func show(_ text: String) {
        for line in text.split(separator: "\n") { StandardOutput.line(String(line)) }
    }
}
