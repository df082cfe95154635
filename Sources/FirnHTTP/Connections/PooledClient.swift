import AsyncHTTPClient
import FirnData
import NIOCore
import NIOPosix

/// An HTTP client, which is shut down once nobody has it any more.
final class PooledClient: Sendable {
    let http: HTTPClient

    /// A client that makes connections as `key` says.
    ///
    /// - Throws: `insecure`, if the TLS settings name what cannot be read.
    init(_ key: ClientKey, _ settings: LoaderConfiguration, _ registry: ConnectionRegistry) throws(DataLoadingError) {
        let tls = try settings.tls.configuration()
        http = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            configuration: changing(.init(tlsConfiguration: tls)) { client in
                // Redirects are judged by `RedirectChain`, idle time by `HTTPTransfer`: the client's own read timeout also
                // runs while the receiver holds the sender back.
                client.redirectConfiguration = .disallow
                let patience = key.isQuick ? min(settings.connectTimeout, .seconds(3)) : settings.connectTimeout
                client.timeout = .init(connect: patience.timeAmount, read: nil)
                // Transfers decompress: the client's decompression knows no back-pressure.
                client.decompression = .disabled
                client.httpVersion = settings.allowsHTTP2 ? .automatic : .http1Only
                // A failed connection is reported at once, not tried again until the time is over.
                client.connectionPool.retryConnectionEstablishment = false
                // Paused transfers keep their connections, and waiting for one here would count as connecting.
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
        // Order: the client must be shut down before it goes, and lives until it has been.
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
