import FirnCodecs
public import Logging
public import ServiceLifecycle

/// The image server of `firn serve`, for a program of your own.
///
/// A service of swift-service-lifecycle: it serves until its task is cancelled or a graceful shutdown begins, and then
/// until the requests that it has taken have their responses. It handles no signals. A tracer has to be installed
/// before the server is created. `Documentation/Serve.md` lists the options.
public struct FirnServer: Service {
    /// The reason why options cannot be used, in one line that names the option.
    public struct OptionError: Error, CustomStringConvertible {
        /// The reason.
        public let description: String
    }

    private let server: ImageServer
    private let onListening: @Sendable (Int) async -> Void

    /// Creates a server. It listens once it runs.
    ///
    /// How images are decoded, the option `isolation`, is set for the whole process.
    ///
    /// - Parameters:
    ///   - options: values by the names of options. Lists are separated by commas. They win over the other two.
    ///   - file: the path of a configuration file. Default: none.
    ///   - environment: variables, such as `FIRN_LISTEN`. Default: none.
    ///   - logger: gets all log lines; the options of logs have no effect.
    ///   - onListening: called with the port once requests are served. Default: does nothing.
    /// - Throws: ``OptionError`` for unknown options, values outside of their range, and what does not fit together,
    ///   such as a server without keys.
    public init(
        options: [String: String], file: String? = nil, environment: [String: String] = [:], logger: Logger,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws(OptionError) {
        var layers = ConfigurationLayers()
        layers.environment = environment
        layers.file = file
        for (name, text) in options {
            guard let option = ServeOption[name] else {
                throw OptionError(description: "\(name): there is no such option")
            }
            guard let value = option.value(text) else {
                throw OptionError(description: "\(name): the value has the wrong kind")
            }
            layers.flags[name] = value
        }
        self.onListening = onListening
        do {
            let loaded = try layers.load()
            let configuration = loaded.configuration
            try DecoderIsolation.use(configuration.isolation)
            server = try ImageServer(
                configuration.settings, host: configuration.listen.host, port: configuration.listen.port,
                admin: configuration.admin, options: loaded.rows, logger: logger)
        } catch let error as ConfigurationError {
            throw OptionError(description: error.description)
        } catch {
            throw OptionError(description: "\(error)")
        }
    }

    /// Serves until the task is cancelled or a graceful shutdown begins.
    ///
    /// - Throws: the system's error if the address cannot be used.
    public func run() async throws { try await server.run(handlesSignals: false, onListening: onListening) }
}
