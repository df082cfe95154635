import FirnSync
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The HTTP server of one service.
package struct ImageServer: Sendable {
    let service: ImageService
    var settings: ServeSettings { service.settings }
    private let listen: ListenAddress
    private let admin: ListenAddress?
    private let logger: Logger
    private let now: @Sendable () -> Int
    let monitor: RequestMonitor
    let connections: ConnectionTable
    private let responder: MonitoredResponder
    /// Exports the spans of requests and of their work; `nil` without an endpoint.
    private let spans: SpanExporter?
    private let options: Locked<[StatusPage.Option]>

    /// - Parameters:
    ///   - listen: an address of this machine.
    ///   - admin: the address of metrics and the status page; `nil` (the default) for none.
    ///   - options: the options that the status page shows. Default: none.
    ///   - now: the seconds since 1970. Default: the system's clock.
    /// - Throws: ``ConfigurationError`` if there are no keys, unless the server is insecure and listens on loopback.
    package init(
        _ settings: ServeSettings, listen: ListenAddress, admin: ListenAddress? = nil,
        options: [StatusPage.Option] = [], logger: Logger,
        now: @escaping @Sendable () -> Int = ServeClock.seconds
    ) throws(ConfigurationError) {
        try listen.checkKeys(settings.imgproxy)
        self.listen = listen
        self.admin = admin
        self.logger = logger
        self.options = Locked(options)
        let metrics = ServeMetrics()
        spans = SpanExporter(settings.tracing, logger: logger)
        service = ImageService(settings, observer: metrics.observer, logger: logger, spans: spans, now: now)
        monitor = RequestMonitor(metrics, logger)
        connections = ConnectionTable(settings.connections)
        responder = MonitoredResponder(ServeResponder(service, settings, now: now), monitor, connections, spans)
        self.now = now
        service.purges.whenChanged { [weak responder] in responder?.replace() }
    }

    /// Serves until the task is cancelled, a graceful shutdown starts, or the process gets SIGTERM or SIGINT. Accepted
    /// requests are completed.
    ///
    /// - Parameters:
    ///   - handlesSignals: whether those signals end the server.
    ///   - reload: loads the configuration at each SIGHUP; `nil` (the default) to ignore the signal.
    ///   - onAdmin: called with the port of the operator's pages once they are served.
    ///   - onListening: called with the port once requests are accepted.
    package func run(
        handlesSignals: Bool = true,
        reload: (@Sendable () throws(ConfigurationError) -> LoadedConfiguration)? = nil,
        onAdmin: @escaping @Sendable (Int) async -> Void = { _ in },
        onListening: @escaping @Sendable (Int) async -> Void
    ) async throws {
        // Order: services end in reverse. Health and metrics are served until the last response is sent, and then the
        // last spans are.
        var services: [any Service] = spans.map { [$0] } ?? []
        if service.purges.store != nil {
            await service.purges.sync()
            services.append(service.purges)
        }
        if let admin {
            var limits = ConnectionLimits()
            limits.most = 64
            let own = ConnectionTable(limits)
            let pages = AdminResponder(
                service: service, monitor: monitor, connections: connections, own: own, options: options,
                images: responder)
            services.append(application(pages, admin, own, onAdmin))
        }
        services.append(application(responder, listen, connections, cached: responder, onListening))
        services.append(DrainService(monitor: monitor, delay: settings.drainDelay, logger: logger))
        if let reload {
            services.append(ReloadService(load: reload, apply: { self.apply($0) }, logger: logger))
        }
        let group = ServiceGroup(
            configuration: .init(
                services: services, gracefulShutdownSignals: handlesSignals ? [.sigterm, .sigint] : [],
                logger: logger))
        try await group.run()
    }

    /// Applies a reloaded configuration: keys, allowed hosts, presets, limits. Logs changed options that need a
    /// restart.
    func apply(_ loaded: LoadedConfiguration) {
        // The status page shows the values in use, so options that need a restart keep their rows.
        let ignored = options.withLock { rows in
            let old = Dictionary(rows.map { ($0.name, $0) }) { $1 }
            var ignored: [String] = []
            rows = loaded.rows.map { row in
                guard ServeOption[row.name]?.isLive == false, let current = old[row.name] else { return row }
                if current.value != row.value { ignored.append(row.name) }
                return current
            }
            return ignored
        }
        for name in ignored {
            logger.warning("an option changes only by a restart", metadata: ["option": "\(name)"])
        }
        var configuration = loaded.configuration
        configuration.keepFixedOptions(of: self.settings)
        let settings = configuration.settings
        service.use(settings)
        responder.replace(by: ServeResponder(service, settings, now: now))
        logger.notice("the configuration was reloaded")
    }

    /// Returns an HTTP server with limited connections.
    ///
    /// - Parameter cached: provides responses from memory. Default: none.
    private func application(
        _ responder: some HTTPResponder<ServeContext>, _ address: ListenAddress, _ connections: ConnectionTable,
        cached: MonitoredResponder? = nil, _ onRunning: @escaping @Sendable (Int) async -> Void
    ) -> some Service {
        let limits = connections.limits
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: ImageServer.handlers(connections, cached),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headBytes, maxHeaderListSize: limits.headBytes,
                maxHeaderFieldCount: limits.fields))
        return Application(
            responder: responder,
            server: HTTPServerBuilder { responder in
                AcceptedConnections(connections: HTTP1Channel(responder: responder, configuration: configuration))
            },
            configuration: .init(
                address: .hostname(address.host, port: address.port), serverName: ServeResponse.serverName,
                backlog: 1024),
            onServerRunning: { await onRunning($0.localAddress?.port ?? 0) }, logger: logger)
    }

    private static func handlers(
        _ connections: ConnectionTable, _ cached: MonitoredResponder?
    ) -> [any RemovableChannelHandler] {
        let limits = ConnectionGuard(connections)
        return [limits] + (cached.map { [CachedResponseHandler($0, limits)] } ?? [])
    }
}

/// Delays a shutdown: `/health` is 503 at once, and connections are still accepted for a while, until load balancers
/// have switched to other servers.
///
/// Order: the last service of a group ends first, and the others wait for it.
struct DrainService: Service {
    let monitor: RequestMonitor
    let delay: Duration
    let logger: Logger

    func run() async throws {
        try await gracefulShutdown()
        monitor.drain()
        logger.notice("draining")
        // Sleeps: for the time that the operator has set.
        if delay > .zero { try await Task.sleep(for: delay) }
    }
}

/// Reloads the configuration at each SIGHUP. An invalid one is logged, and the old one stays.
struct ReloadService: Service {
    let load: @Sendable () throws(ConfigurationError) -> LoadedConfiguration
    let apply: @Sendable (LoadedConfiguration) -> Void
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            do throws(ConfigurationError) { apply(try load()) } catch {
                logger.error(
                    "the configuration was not reloaded; the old one stays",
                    metadata: ["error": "\(error.description)"])
            }
        }
    }
}
