import FirnData
import Hummingbird
package import Logging
import NIOCore

/// The server: one service behind HTTP.
package struct ImageServer: Sendable {
    /// The server cannot start.
    package struct StartError: Error, CustomStringConvertible {
        package let description: String
    }

    package let settings: ServeSettings
    package let service: ImageService
    private let host: String
    private let port: Int
    private let logger: Logger

    /// - Parameters:
    ///   - host: an address of this machine.
    ///   - port: 0 for any free one.
    /// - Throws: ``StartError`` if there are no keys, unless the server is insecure and listens on loopback.
    package init(_ settings: ServeSettings, host: String, port: Int, logger: Logger) throws(StartError) {
        if settings.imgproxy.keyPairs.isEmpty {
            guard settings.imgproxy.isInsecure else {
                throw StartError(description: "there are no keys; give --key and --salt, or --insecure on loopback")
            }
            guard ["127.0.0.1", "::1", "localhost"].contains(host) else {
                throw StartError(description: "--insecure is allowed on loopback addresses only")
            }
        }
        self.settings = settings
        self.host = host
        self.port = port
        self.logger = logger
        service = ImageService(settings)
    }

    /// Serves until the task is cancelled or the process gets SIGTERM or SIGINT; requests that were taken are answered.
    ///
    /// - Parameters:
    ///   - handlesSignals: whether those signals end the server.
    ///   - onListening: called with the port once requests are answered.
    package func run(
        handlesSignals: Bool = true, onListening: @escaping @Sendable (Int) async -> Void
    ) async throws {
        let responder = ServeResponder(service, settings) { ImageServer.seconds() }
        let application = Application(
            responder: responder,
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: .init(address: .hostname(host, port: port), serverName: "firn"),
            onServerRunning: { channel in
                await onListening(channel.localAddress?.port ?? 0)
            },
            logger: logger)
        if handlesSignals { try await application.runService() } else { try await application.run() }
    }

    /// The seconds since 1970.
    private static func seconds() -> Int { Int(clamping: Duration.sinceEpoch().components.seconds) }
}
