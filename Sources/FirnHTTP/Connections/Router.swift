import FirnData
import NIOCore

/// Chooses the route of a request: whether its origin is allowed, at which addresses, through which proxy.
///
/// Used on the loader's event loop only.
struct Router {
    /// The routes to a host, best first, and the time to find them.
    struct Route {
        var keys: [ClientKey]
        var lookup: Duration?
    }

    typealias Completion = (Result<Route, DataLoadingError>) -> Void

    private let proxies: ProxySettings
    /// Whether hosts are looked up here even if nothing has to be checked.
    private let looksUpAll: Bool
    private let lookups: HostLookups

    init(_ settings: LoaderConfiguration, _ eventLoop: any EventLoop) {
        proxies = settings.proxies
        looksUpAll = settings.resolver != nil
        lookups = HostLookups(settings.resolver ?? SystemResolver(), eventLoop, patience: settings.connectTimeout)
    }

    /// Whether hosts are passed to the HTTP client unresolved.
    func isPlain(_ limits: TransferGuard) -> Bool { limits.isOpen && !looksUpAll }

    /// Finds the route to an origin. Calls `completion` at once if nothing has to be looked up.
    func route(
        to origin: Origin, hasUserInfo: Bool, within limits: TransferGuard, _ completion: @escaping Completion
    ) {
        let proxy = proxies.proxy(scheme: origin.scheme, host: origin.host, port: origin.port)
        if isPlain(limits) { return completion(.success(Route(keys: [ClientKey(proxy: proxy)]))) }
        let refusal = limits.refusal(
            scheme: origin.scheme, host: origin.host, port: origin.port, hasUserInfo: hasUserInfo)
        if let refusal {
            return completion(.failure(refusal))
        }
        let host = origin.host
        if let address = NetworkAddress(host) {
            return completion(check([address], limits).map { _ in Route(keys: keys(host, [address], proxy)) })
        }
        guard looksUpAll || limits.looksUp(throughProxy: proxy != nil) else {
            return completion(.success(Route(keys: [ClientKey(proxy: proxy)])))
        }
        let start = NIODeadline.now()
        lookups.find(host) { found in
            completion(
                found.flatMap { check($0, limits) }.map { addresses in
                    let time = (NIODeadline.now() - start).duration
                    return Route(keys: keys(host, addresses, proxy), lookup: time)
                })
        }
    }

    /// Records that a route led to a response.
    func recordSuccess(of key: ClientKey) {
        if let host = key.host, let address = key.address { lookups.prefer(address, of: host) }
    }

    /// One forbidden address is enough: a host with such an address is suspicious.
    private func check(
        _ addresses: [NetworkAddress], _ limits: TransferGuard
    ) -> Result<[NetworkAddress], DataLoadingError> {
        for address in addresses {
            if let refusal = limits.refusal(of: address) { return .failure(refusal) }
        }
        return .success(addresses)
    }

    private func keys(_ host: String, _ addresses: [NetworkAddress], _ proxy: ProxyAddress?) -> [ClientKey] {
        guard proxy == nil else { return [ClientKey(proxy: proxy)] }
        // The client recognizes an address in its usual form.
        if addresses.count == 1, NetworkAddress(host) == addresses[0] { return [ClientKey()] }
        return addresses.prefix(8).enumerated().map { index, address in
            ClientKey(host: host, address: address, isQuick: index < min(addresses.count, 8) - 1)
        }
    }
}

extension TimeAmount {
    var duration: Duration { .nanoseconds(nanoseconds) }
}
