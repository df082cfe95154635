import ArgumentParser
import Firn
import FirnReport
import FirnServe
import Logging

/// `firn serve`: an image server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve images over HTTP: resized, cropped, converted.",
        discussion: """
            Addresses are those of imgproxy: /SIGNATURE/OPTIONS/plain/SOURCE@FORMAT, where SOURCE
            is local:///PATH below --local-root, or a URL of a host that --allow names. Each
            result is made once, and kept in memory and in --cache. 'firn sign' makes addresses.

            Prints 'listening on http://HOST:PORT' when it answers. SIGTERM ends it after the
            requests that it has taken.

            EXAMPLES
              firn serve --insecure --local-root ~/Images
              firn serve --key 736563726574 --salt 68656c6c6f --allow images.example.org
              firn sign /rs:fit:300:200/plain/local:///a.jpg --key 736563726574 --salt 68656c6c6f

            EXIT STATUS
              0: ended by a signal; 1: the address cannot be used; 2: wrong usage, or no keys.
            """)

    @Option(help: ArgumentHelp("Where to listen. Port 0 is any free one.", valueName: "host:port"))
    var listen = "127.0.0.1:8080"

    @Option(help: ArgumentHelp("The folder of local:// sources.", valueName: "dir"))
    var localRoot: String?

    @OptionGroup
    var keys: SigningKeys

    @Flag(help: "Accept addresses without a valid signature. On loopback addresses only.")
    var insecure = false

    @Option(
        help: ArgumentHelp(
            """
            A host that sources may come from: example.org, *.example.org or example.org:8080. May be repeated. Other \
            addresses than those of the public Internet are refused, unless they are named here.
            """,
            valueName: "host"))
    var allow: [String] = []

    @Option(help: ArgumentHelp("A folder that keeps sources and results. Default: memory only.", valueName: "dir"))
    var cache: String?

    @Option(
        help: ArgumentHelp(
            """
            Decode in confined processes: all formats, complex ones (HEIC, AVIF, JPEG XL, TIFF, SVG), or none. \
            Default: all, if firn-decoder is installed.
            """,
            valueName: "formats"))
    var isolation: DecoderIsolation?

    func validate() throws {
        _ = try address()
        _ = try settings()
        do { try isolation?.check() } catch { throw ValidationError("--isolation: \(error)") }
    }

    func run() async throws {
        if let isolation {
            DecoderIsolation.standard = isolation
        } else if (try? DecoderIsolation.all.check()) != nil {
            // Whatever is decoded here comes from outside.
            DecoderIsolation.standard = .all
        }
        var logger = Logger(label: "firn")
        logger.logLevel = .warning
        let (host, port) = try address()
        do {
            let server = try ImageServer(try settings(), host: host, port: port, logger: logger)
            try await server.run { port in StandardOutput.line("listening on http://\(host):\(port)") }
        } catch let error as ImageServer.StartError {
            throw ValidationError(error.description)
        } catch {
            StandardError.line("firn: serve: \(listen): \(error)")
            throw ExitCode.failure
        }
    }

    private func address() throws -> (host: String, port: Int) {
        guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]) else {
            throw ValidationError("--listen \(listen): is not HOST:PORT")
        }
        let host = String(listen[..<colon])
        guard !host.isEmpty else { throw ValidationError("--listen \(listen): is not HOST:PORT") }
        return (host, Int(port))
    }

    private func settings() throws -> ServeSettings {
        var settings = ServeSettings()
        settings.imgproxy.keyPairs = try keys.pairs()
        settings.imgproxy.isInsecure = insecure
        settings.localRoot = localRoot
        settings.cacheDirectory = cache
        settings.allowedHosts = try allow.map { text in
            guard let host = AllowedHost(text) else { throw ValidationError("--allow \(text): is not a host") }
            return host
        }
        guard insecure || !settings.imgproxy.keyPairs.isEmpty else {
            throw ValidationError("There are no keys. Give --key and --salt, or --insecure on a loopback address.")
        }
        return settings
    }
}
