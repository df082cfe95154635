import FirnTesting

/// An HTTP server on 127.0.0.1 for the demonstration, at full speed. ``SlowLoader`` stands in for a phone's line to it.
package final class DemoServer: Sendable {
    private let server: ScriptedServer

    /// Starts a server at a free port.
    ///
    /// - Parameter files: the served files by path, as in the address.
    /// - Throws: `SocketError` if the server cannot listen.
    package init(files: [String: String]) throws {
        let responder = FileResponder(files: files)
        server = try ScriptedServer { responder.response(to: $0) }
    }

    package var port: Int { server.port }

    /// Closes every connection and waits until no thread of the server remains.
    package func stop() { server.stop() }
}
