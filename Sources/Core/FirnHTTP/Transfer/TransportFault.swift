import CFirnCurl
import FirnSystem

struct TransportFault {
    enum Kind: Equatable {
        /// Refused by this loader, or always the same error.
        case known(DataLoadingError)
        case unknownHost
        case noConnection
        case noDescriptor
        case connectTimeout
        case handshakeTimeout
        case proxyTimeout
        case proxy(status: Int)
        case tls
        case untrusted(verifyResult: Int)
        case otherHost
        case noResponse
        case lost
        case cutShort
        case stream
        case notHTTP
        case other
    }

    let kind: Kind
    /// libcurl's message.
    private let message: String
    private let systemError: Int32
    /// True if an HTTP proxy opened a tunnel.
    private let hasTunnel: Bool

    init(_ kind: Kind) {
        self.kind = kind
        message = ""
        systemError = 0
        hasTunnel = false
    }

    /// Returns `nil` if the exchange did not fail.
    init?(_ result: firn_curl_result) {
        guard result.fault != FIRN_CURL_NONE else { return nil }
        let message = result.message.map { String(cString: $0) } ?? ""
        self.message = message
        systemError = result.system_error
        let status = result.proxy_status
        hasTunnel = (200..<300).contains(status)
        let isByProxy = status != 0 && !hasTunnel
        switch result.fault {
        case FIRN_CURL_BAD_ADDRESS: kind = .known(.notAnAddress)
        case FIRN_CURL_UNKNOWN_HOST, FIRN_CURL_UNKNOWN_PROXY: kind = .unknownHost
        case FIRN_CURL_NO_CONNECTION where !isByProxy: kind = .noConnection
        case FIRN_CURL_NO_DESCRIPTOR: kind = .noDescriptor
        case FIRN_CURL_PROXY: kind = .proxy(status: status)
        case _ where isByProxy: kind = .proxy(status: status)
        case FIRN_CURL_TLS: kind = .tls
        case FIRN_CURL_UNTRUSTED:
            let names = ["subject name", "does not match"]
            let isOther = names.contains { message.contains($0) }
            kind = isOther ? .otherHost : .untrusted(verifyResult: result.verify_result)
        case FIRN_CURL_BAD_AUTHORITIES: kind = .known(.unreadable("certificates"))
        case FIRN_CURL_BAD_IDENTITY: kind = .known(.unreadable("a client certificate or key"))
        case FIRN_CURL_NO_RESPONSE: kind = .noResponse
        // The same code means a lost connection and malformed chunks.
        case FIRN_CURL_LOST: kind = message.contains("chunk") || message.contains("hexa") ? .notHTTP : .lost
        case FIRN_CURL_CUT_SHORT: kind = .cutShort
        case FIRN_CURL_STREAM: kind = .stream
        case FIRN_CURL_NOT_HTTP: kind = .notHTTP
        case FIRN_CURL_LONG_HEAD: kind = .known(HeadSequence.isTooLong)
        case FIRN_CURL_TIMEOUT: kind = .connectTimeout
        case FIRN_CURL_NO_MEMORY: kind = .known(.noMemory)
        default: kind = .other
        }
    }

    /// True if no connection was made, so another address should be tried.
    var isNoConnection: Bool {
        [.noConnection, .connectTimeout, .handshakeTimeout, .lost, .proxy(status: 0)].contains(kind)
    }

    /// True if the connection ended without a response.
    var isLost: Bool { [.lost, .noResponse, .stream].contains(kind) }

    /// Returns the error of a transfer.
    ///
    /// - Parameters:
    ///   - place: host and port.
    ///   - proxy: the proxy of the request; `nil` for none.
    ///   - hasResponse: whether the response was delivered.
    ///   - body: the received part of the body.
    func error(place origin: String, proxy: ProxyAddress?, hasResponse: Bool, body: BodyMeter) -> DataLoadingError {
        let proxyName = proxy.map { "the proxy \($0.place)" }
        // Before the tunnel, the peer is the proxy.
        let peer = hasTunnel ? nil : proxyName
        let place = proxy?.kind == .https ? peer ?? origin : origin
        return switch kind {
        case .known(let error): error
        case .unknownHost: DataLoadingError(.connection, "unknown host: \(words)")
        case .noConnection: noConnection(to: peer ?? origin)
        case .noDescriptor:
            DataLoadingError(
                .connection, "no connection to \(place): too many open files; raise the limit (ulimit -n)")
        case .connectTimeout: DataLoadingError(.timeout, "no connection to \(peer ?? origin) in time")
        case .handshakeTimeout: DataLoadingError(.timeout, "no secure connection to \(place) in time")
        case .proxyTimeout:
            DataLoadingError(.timeout, "\(proxyName ?? "the proxy") made no connection to \(origin) in time")
        case .proxy(407):
            DataLoadingError(
                .other, "\(proxyName ?? "the proxy") asks for a name and password; put them into its address")
        case .proxy(let status):
            DataLoadingError(
                .connection,
                "\(proxyName ?? "the proxy") made no connection to \(origin): \(status == 0 ? words : "status \(status)")"
            )
        case .tls: noSecureConnection(to: place)
        case .otherHost: TransportFault.untrustedCertificate(place, "is for another host")
        case .untrusted(let result): TransportFault.untrustedCertificate(place, TransportFault.reason(result))
        case .noResponse: noResponse(from: proxy?.kind.isHTTP == true ? peer : nil)
        case .lost where !hasResponse && isClosed: noResponse(from: proxy?.kind.isHTTP == true ? peer : nil)
        case .lost where !hasResponse: failed(.connection)
        case .stream where !hasResponse: failed(.connection)
        case .lost, .cutShort, .stream: body.cutShort()
        case .notHTTP: DataLoadingError(.other, "the response is not HTTP: \(words)")
        case .other: failed(.other)
        }
    }

    /// Returns the error of an untrusted certificate.
    ///
    /// - Parameter reason: `nil` if unknown.
    static func untrustedCertificate(_ place: String, _ reason: String?) -> DataLoadingError {
        DataLoadingError(.insecure, "the certificate of \(place) \(reason ?? "is not valid")")
    }

    /// Describes a verification result of OpenSSL, unless it concerns dates.
    private static func reason(_ result: Int) -> String? {
        switch result {
        case CertificateInspection.notYetValid: "is not valid yet"
        case CertificateInspection.hasExpired: "has expired"
        case 2, 18, 19, 20, 21: "comes from no authority that is trusted"
        default: nil
        }
    }

    private func noResponse(from peer: String?) -> DataLoadingError {
        DataLoadingError(.connection, "\(peer ?? "the server") closed the connection without a response")
    }

    /// True if the peer closed or reset the connection.
    private var isClosed: Bool { systemError == ECONNRESET || systemError == EPIPE || systemError == 0 }

    private func noConnection(to place: String) -> DataLoadingError {
        if systemError == ECONNREFUSED { return DataLoadingError(.connection, "connection refused by \(place)") }
        let reason = systemError == 0 ? "" : ": \(String(cString: strerror(systemError)).lowercased())"
        return DataLoadingError(.connection, "no connection to \(place)\(reason)")
    }

    private func noSecureConnection(to place: String) -> DataLoadingError {
        let text = message.lowercased()
        func has(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }
        if has("wrong version number", "packet length too long", "http request", "record overflow") {
            return DataLoadingError(.insecure, "\(place) does not speak TLS")
        }
        if has("protocol version", "unsupported protocol") {
            return DataLoadingError(.insecure, "\(place) speaks no version of TLS that is allowed")
        }
        if has("certificate required", "handshake failure") {
            return DataLoadingError(
                .insecure, "\(place) did not accept the TLS handshake; it may ask for a certificate")
        }
        if has("unexpected eof", "ssl_error_syscall", "reset by peer", "ssl_error_zero_return") {
            return DataLoadingError(.connection, "\(place) closed the connection in the TLS handshake")
        }
        return DataLoadingError(.insecure, "no secure connection to \(place): \(words)")
    }

    private func failed(_ cause: DataLoadingError.Cause) -> DataLoadingError {
        DataLoadingError(cause, "the connection failed: \(words)")
    }

    /// libcurl's message on one line.
    private var words: String {
        String(message.split(whereSeparator: \.isNewline).joined(separator: " ").prefix(200))
    }
}

extension DataLoadingError {
    static let notAnAddress = DataLoadingError(.badAddress, "not an absolute http or https address")
    static let noMemory = DataLoadingError(.other, "there is no memory for the request")

    static func unreadable(_ what: String) -> DataLoadingError {
        DataLoadingError(.insecure, "the TLS settings name \(what) that cannot be read")
    }
}

/// Finds out when an untrusted certificate expires, for the error message: libcurl reports only that it has expired.
///
/// Connects once more, only for the certificate, and sends no request.
enum CertificateInspection {
    // OpenSSL's verification results.
    static let notYetValid = 9
    static let hasExpired = 10

    /// Returns whether the validity dates explain a verification result.
    static func isWorthwhile(_ kind: TransportFault.Kind) -> Bool {
        kind == .untrusted(verifyResult: notYetValid) || kind == .untrusted(verifyResult: hasExpired)
    }

    /// Returns the reason in words; `nil` if the dates are not the reason.
    static func reason(_ handle: OpaquePointer) -> String? {
        let now = Int64(time(nil))
        if let expiry = moment(handle, "Expire date"), now > expiry { return "has expired on \(day(expiry))" }
        if let start = moment(handle, "Start date"), now < start { return "is not valid before \(day(start))" }
        return nil
    }

    /// Reads a time of the certificate, such as `Nov  5 09:03:58 2026 GMT`: the asctime format without the day of the
    /// week.
    private static func moment(_ handle: OpaquePointer, _ field: String) -> Int64? {
        firn_curl_certificate(handle, field).flatMap {
            HTTPDate.anySeconds("Sun \(String(cString: $0).prefix(20))", now: 0)
        }
    }

    private static func day(_ seconds: Int64) -> String { UTCTime(seconds: seconds).text("%Y-%m-%d") }
}
