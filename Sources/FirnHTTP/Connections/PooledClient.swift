import AsyncHTTPClient
import FirnData
import NIOCore
import NIOPosix

/// An HTTP client that is shut down with its last reference.
final class PooledClient: Sendable {
    let http: HTTPClient

    /// Creates a client for a key.
    ///
    /// - Throws: `insecure` if a file of the TLS settings cannot be read.
    init(_ key: ClientKey, _ settings: LoaderConfiguration, _ registry: ConnectionRegistry) throws(DataLoadingError) {
        let tls = try settings.tls.configuration()
        http = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            configuration: changing(.init(tlsConfiguration: tls)) { client in
                // `RedirectChain` handles redirects, `HTTPTransfer` idle time: the client's own read timeout also runs
                // during back-pressure.
                client.redirectConfiguration = .disallow
                let patience = key.isQuick ? min(settings.connectTimeout, .seconds(3)) : settings.connectTimeout
                client.timeout = .init(connect: patience.timeAmount, read: nil)
                // Transfers decompress: the client's decompression ignores back-pressure.
                client.decompression = .disabled
                client.httpVersion = settings.allowsHTTP2 ? .automatic : .http1Only
                // A failed connection is reported at once, not retried until the timeout.
                client.connectionPool.retryConnectionEstablishment = false
                // Paused transfers keep their connections. The wait for a free one would count as connecting.
                client.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
                    max(1, settings.transfersPerHost).addingClamped(64)
                if let host = key.host, let address = key.address { client.dnsOverride = [host: "\(address)"] }
                client.proxy = key.proxy.map { proxy in
                    guard proxy.kind == .http else { return .socksServer(host: proxy.host, port: proxy.port) }
                    return .server(
                        host: proxy.host, port: proxy.port,
                        authorization: proxy.user.map { .basic(username: $0, password: proxy.password ?? "") })
                }
                let isDirect = key.proxy == nil
                client.http1_1ConnectionDebugInitializer = { registry.prepare(http1: $0, isDirect: isDirect) }
                client.http2ConnectionDebugInitializer = { registry.prepare(http2: $0, isDirect: isDirect) }
                client.http2StreamChannelDebugInitializer = { registry.prepare(stream: $0) }
            })
    }

    deinit {
        let http = http
        // Order: the client must be shut down before it is released, and must live until then.
        http.shutdown().whenComplete { _ in withExtendedLifetime(http) {} }
    }
}

private func changing<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
}

extension Duration {
    var timeAmount: TimeAmount { .nanoseconds(max(1, nanoseconds)) }
}

extension Int {
    fileprivate func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
