import Logging
import ServiceLifecycle

/// Delays the end of a server: `/health` is 503 from the order to end on, and connections are taken for a while, until
/// load balancers have turned away.
///
/// Order: the last service of a group is the first to end, and the others wait for it.
struct DrainService: Service {
    let state: ServerState
    let delay: Duration
    let logger: Logger

    func run() async throws {
        try await gracefulShutdown()
        state.drain()
        logger.notice("draining")
        // Sleeps: for the time that the operator has set.
        if delay > .zero { try await Task.sleep(for: delay) }
    }
}
