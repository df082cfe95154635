import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// The accepted connections of an HTTP/1.1 server that may stop while clients connect.
///
/// A stopping server drops connections that it has accepted but does not handle yet. NIO traps if such a connection is
/// released without being finished ("Deinited NIOAsyncWriter without calling finish()"), so each has an owner that
/// closes it.
struct AcceptedConnections: ServerChildChannel {
    let connections: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        connections.setup(channel: channel, logger: logger).map { AcceptedConnection($0) }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        // The tasks of a connection run on its event loop.
        await withTaskExecutorPreference(EventLoopTaskExecutor(value.channel.eventLoop)) {
            await connections.handle(value: value.take(), logger: logger)
        }
    }
}

/// A connection that is closed when this object is released, unless it was taken.
final class AcceptedConnection: ServerChildChannelValue {
    private let connection: HTTP1Channel.Value
    private let isTaken = Atomic<Bool>(false)

    init(_ connection: HTTP1Channel.Value) { self.connection = connection }

    deinit {
        guard !isTaken.load(ordering: .acquiring) else { return }
        let connection = connection
        Task { try? await connection.executeThenClose { _, _ in } }
    }

    var channel: any Channel { connection.channel }

    /// Returns the connection, which the caller must close.
    func take() -> HTTP1Channel.Value {
        isTaken.store(true, ordering: .releasing)
        return connection
    }
}
