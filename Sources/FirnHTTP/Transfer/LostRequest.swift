import AsyncHTTPClient
import FirnData
import FirnSystem
import NIOCore
import NIOHTTP1
import NIOPosix

/// Decides which requests may be sent again at once: those on a connection that its server was closing (RFC 9112
/// §9.3.1).
enum LostRequest {
    /// Maximum number of repetitions: a pool has no more connections of one age.
    static let limit = 3

    /// Whether a method may be sent twice without harm (RFC 9110 §9.2.2).
    static func mayRepeat(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
    }

    /// Whether a request without a response was lost with an idle connection.
    ///
    /// - Parameters:
    ///   - wasSent: whether it was sent over a connection.
    ///   - isReused: whether the connection had other requests before. A new connection that is closed means that the
    ///     server refuses the request.
    static func isLost(_ error: any Error, wasSent: Bool, _ isReused: Bool) -> Bool {
        if case ChannelError.ioOnClosedChannel = error { return isReused || !wasSent }
        guard isReused else { return false }
        switch error {
        case let error as HTTPClientError: return error == .remoteConnectionClosed || error == .uncleanShutdown
        case let error as IOError: return error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
        case HTTPParserError.invalidEOFState, ChannelError.eof, ChannelError.outputClosed: return true
        default: return false
        }
    }

    /// Whether no connection could be established, so that another address should be tried.
    static func isNoConnection(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .connectTimeout || error == .tlsHandshakeTimeout
        case is IOError, is NIOConnectionError, is ChannelError: true
        default: false
        }
    }
}
