import Logging
import ServiceLifecycle
import UnixSignals

/// Loads the configuration again at each SIGHUP. An invalid one is logged, and the old one stays.
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
