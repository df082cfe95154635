import CFirnCurl
import FirnData

struct ExchangeFacts {
    /// The times to connect and for TLS; `nil` on a connection that was there.
    var connect: Duration?
    var secure: Duration?
    var isReused: Bool
    /// True if the connection carries other requests at the same time.
    let isStream: Bool
    var networkProtocol: String?
    var remoteAddress: String?

    /// - Parameter opening: the moment at which the connection was begun, in nanoseconds since the start; `nil` for a
    ///   used one. libcurl counts from the start, with the wait for a connection.
    init(_ result: firn_curl_result, openedAfter opening: Int64?, _ remoteAddress: String?) {
        isReused = opening == nil
        isStream = result.version >= 20
        self.remoteAddress = remoteAddress
        switch result.version {
        case 10, 11: networkProtocol = "HTTP/1.1"
        case 20: networkProtocol = "HTTP/2"
        case 30: networkProtocol = "HTTP/3"
        default: networkProtocol = nil
        }
        guard let opening, result.connected > 0 else { return }
        connect = max(.zero, .microseconds(result.connected) - .nanoseconds(opening))
        if result.secured > 0 { secure = max(.zero, .microseconds(result.secured - result.connected)) }
    }
}
