import AsyncHTTPClient
import FirnData
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

extension DataLoadingError {
    /// Says in the contract's words what the HTTP client reports.
    init(transport error: any Error, hasAnswer: Bool, body: BodyMeter) {
        switch error {
        case let error as HTTPClientError: self = .client(error, hasAnswer: hasAnswer, body: body)
        case let error as NIOConnectionError: self = .connecting(error)
        case let error as HTTPParserError: self = .parsing(error, hasAnswer: hasAnswer, body: body)
        case let error as SocketAddressError.UnknownHost: self = DataLoadingError(.connection, "unknown host \(error.host)")
        case let error as ChannelError where hasAnswer && error != .ioOnClosedChannel: self = body.cutShort()
        case let error as IOError where hasAnswer && error.errnoCode == ECONNRESET: self = body.cutShort()
        case let error as IOError: self = DataLoadingError(.connection, DataLoadingError.words(error.errnoCode))
        default: self = .unnamed(error, hasAnswer: hasAnswer)
        }
    }

    private static func client(_ error: HTTPClientError, hasAnswer: Bool, body: BodyMeter) -> DataLoadingError {
        switch error {
        case .cancelled, .alreadyShutdown: DataLoadingError(.cancelled, "the transfer was cancelled")
        case .connectTimeout, .getConnectionFromPoolTimeout: DataLoadingError(.timeout, "no connection in time")
        case .tlsHandshakeTimeout: DataLoadingError(.timeout, "no secure connection in time")
        case .readTimeout, .writeTimeout, .deadlineExceeded: DataLoadingError(.timeout, "the server took too long")
        case .remoteConnectionClosed, .uncleanShutdown:
            hasAnswer ? body.cutShort() : DataLoadingError(.connection, "the server closed the connection without an answer")
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath:
            DataLoadingError(.badAddress, "not an absolute http or https address")
        default: DataLoadingError(.other, "the HTTP client failed: \(error.shortDescription)")
        }
    }

    private static func connecting(_ error: NIOConnectionError) -> DataLoadingError {
        guard let failure = error.connectionErrors.last else {
            return DataLoadingError(.connection, "unknown host \(error.host)")
        }
        let place = "\(error.host):\(error.port)"
        if case ChannelError.connectTimeout = failure.error {
            return DataLoadingError(.timeout, "no connection to \(place) in time")
        }
        guard let cause = failure.error as? IOError else {
            return DataLoadingError(.connection, "no connection to \(place)")
        }
        if cause.errnoCode == ECONNREFUSED {
            return DataLoadingError(.connection, "connection refused by \(place)")
        }
        return DataLoadingError(.connection, "no connection to \(place): \(words(cause.errnoCode))")
    }

    private static func parsing(_ error: HTTPParserError, hasAnswer: Bool, body: BodyMeter) -> DataLoadingError {
        switch error {
        case .invalidEOFState:
            hasAnswer ? body.cutShort() : DataLoadingError(.connection, "the server closed the connection without an answer")
        case .headerOverflow: DataLoadingError(.other, "the header of the answer is too long")
        default: DataLoadingError(.other, "the answer is not HTTP: \(error)")
        }
    }

    private static func unnamed(_ error: any Error, hasAnswer: Bool) -> DataLoadingError {
        // The TLS library's types are not ours to import; where they come from says enough.
        let type = String(reflecting: Swift.type(of: error))
        if type.hasPrefix("NIOSSL") { return DataLoadingError(.connection, "TLS failed: \(oneLine(error))") }
        if type.hasPrefix("NIOHTTPCompression") {
            return DataLoadingError(.other, "the body cannot be decompressed: \(oneLine(error))")
        }
        return DataLoadingError(hasAnswer ? .other : .connection, "the connection failed: \(oneLine(error))")
    }

    private static func oneLine(_ error: any Error) -> String {
        String("\(error)".split(separator: "\n").joined(separator: " ").prefix(200))
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}
