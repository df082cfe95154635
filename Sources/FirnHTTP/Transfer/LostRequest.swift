import AsyncHTTPClient
import FirnData
import FirnSystem
import NIOCore
import NIOHTTP1
import NIOPosix

/// Which requests may be sent again at once: those that met a connection which their server was just closing (RFC 9112 §9.3.1).
enum LostRequest {
    /// How often: no more than a pool has connections of one age.
    static let limit = 3

    /// Methods that may be sent twice without harm (RFC 9110 §9.2.2).
    static func mayRepeat(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
    }

    /// Whether a request without an answer was lost with an idle connection.
    ///
    /// - Parameters:
    ///   - wasSent: whether it went over a connection.
    ///   - isReused: whether that had carried others before: one that is new and closed says that the server does not want to.
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

    /// Whether no connection could be made, so that another address is worth a try.
    static func isNoConnection(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .connectTimeout || error == .tlsHandshakeTimeout
        case is IOError, is NIOConnectionError, is ChannelError: true
        default: false
        }
    }
}
