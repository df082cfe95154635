import AsyncHTTPClient
import FirnData
import FirnSystem
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension DataLoadingError {
    /// Converts an error of the HTTP client.
    ///
    /// - Parameter place: host and port, for errors that do not contain them.
    init(transport error: any Error, place: String, hasResponse: Bool, body: BodyMeter) {
        switch error {
        case let error as DataLoadingError: self = error
        case let error as HTTPClientError: self = .client(error, place: place, hasResponse: hasResponse, body: body)
        case let error as NIOConnectionError: self = .connecting(error)
        case let error as NIOSSLError where !hasResponse: self = .securing(error, place: place)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self = DataLoadingError(.insecure, "the certificate of \(place) is for another host")
        case let error as HTTPParserError: self = .parsing(error, hasResponse: hasResponse, body: body)
        case let error as SocketAddressError.UnknownHost:
            self = DataLoadingError(.connection, "unknown host \(error.host)")
        case ChannelError.connectTimeout: self = .connectTimeout(place)
        case is ChannelError where hasResponse: self = body.cutShort()
        case let error as IOError where hasResponse && error.errnoCode == ECONNRESET: self = body.cutShort()
        case let error as IOError: self = .system(error, place: place)
        default: self = .unnamed(error, hasResponse: hasResponse)
        }
    }

    private static func client(
        _ error: HTTPClientError, place: String, hasResponse: Bool, body: BodyMeter
    ) -> DataLoadingError {
        switch error {
        case .cancelled, .alreadyShutdown: DataLoadingError(.cancelled, "the transfer was cancelled")
        case .connectTimeout, .getConnectionFromPoolTimeout: connectTimeout(place)
        case .tlsHandshakeTimeout: DataLoadingError(.timeout, "no secure connection to \(place) in time")
        case .proxyAuthenticationRequired:
            DataLoadingError(.other, "the proxy asks for a name and password; put them into its address")
        case .invalidProxyResponse: DataLoadingError(.connection, "the proxy made no connection")
        case .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            DataLoadingError(.timeout, "the proxy made no connection in time")
        case .readTimeout, .writeTimeout, .deadlineExceeded: DataLoadingError(.timeout, "the server took too long")
        case .remoteConnectionClosed, .uncleanShutdown: hasResponse ? body.cutShort() : noResponse
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
        if case ChannelError.connectTimeout = failure.error { return connectTimeout(place) }
        guard let cause = failure.error as? IOError else {
            return DataLoadingError(.connection, "no connection to \(place)")
        }
        return system(cause, place: place)
    }

    private static func system(_ error: IOError, place: String) -> DataLoadingError {
        if error.errnoCode == ECONNREFUSED { return DataLoadingError(.connection, "connection refused by \(place)") }
        let words = String(cString: strerror(error.errnoCode)).lowercased()
        return DataLoadingError(.connection, "no connection to \(place): \(words)")
    }

    private static func securing(_ error: NIOSSLError, place: String) -> DataLoadingError {
        guard case .handshakeFailed(let cause) = error else {
            if case .uncleanShutdown = error { return noResponse }
            return DataLoadingError(.connection, "TLS failed: \(oneLine(error))")
        }
        let text = "\(cause)"
        if text.contains("CERTIFICATE_VERIFY_FAILED") { return untrustedCertificate(place, nil) }
        if text.contains("EOF during handshake") || text.contains("noError") {
            return DataLoadingError(.connection, "\(place) closed the connection in the TLS handshake")
        }
        if text.contains("WRONG_VERSION_NUMBER") {
            return DataLoadingError(.insecure, "\(place) does not speak TLS")
        }
        if text.contains("PROTOCOL_VERSION") || text.contains("UNSUPPORTED_PROTOCOL") {
            return DataLoadingError(.insecure, "\(place) speaks no version of TLS that is allowed")
        }
        if text.contains("CERTIFICATE_REQUIRED") || text.contains("HANDSHAKE_FAILURE") {
            return DataLoadingError(
                .insecure, "\(place) did not accept the TLS handshake; it may ask for a certificate")
        }
        return DataLoadingError(.insecure, "no secure connection to \(place): \(oneLine(error))")
    }

    /// - Parameter reason: the reason, if it was found out.
    static func untrustedCertificate(_ place: String, _ reason: String?) -> DataLoadingError {
        DataLoadingError(.insecure, "the certificate of \(place) \(reason ?? "is not valid")")
    }

    private static func connectTimeout(_ place: String) -> DataLoadingError {
        DataLoadingError(.timeout, "no connection to \(place) in time")
    }

    private static var noResponse: DataLoadingError {
        DataLoadingError(.connection, "the server closed the connection without a response")
    }

    private static func parsing(_ error: HTTPParserError, hasResponse: Bool, body: BodyMeter) -> DataLoadingError {
        switch error {
        case .invalidEOFState: hasResponse ? body.cutShort() : noResponse
        case .headerOverflow: DataLoadingError(.other, "the header of the response is too long")
        default: DataLoadingError(.other, "the response is not HTTP: \(error)")
        }
    }

    private static func unnamed(_ error: any Error, hasResponse: Bool) -> DataLoadingError {
        let type = String(reflecting: Swift.type(of: error))
        if type.hasPrefix("NIOSSL") { return DataLoadingError(.connection, "TLS failed: \(oneLine(error))") }
        return DataLoadingError(hasResponse ? .other : .connection, "the connection failed: \(oneLine(error))")
    }

    private static func oneLine(_ error: any Error) -> String {
        String("\(error)".split(separator: "\n").joined(separator: " ").prefix(200))
    }
}
