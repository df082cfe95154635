import FirnSync

struct Route: Hashable {
    var proxy: ProxyAddress?
    /// The only address that is connected to, directly or by the proxy, after lookup and check; `nil` if libcurl
    /// chooses among ``found``, or the proxy looks the host up.
    var address: NetworkAddress?
    /// The addresses of the host, or of the proxy, best first; empty if the host is an IP address.
    var found: [NetworkAddress] = []
    /// True if the time limit for connecting is short, because another address is available.
    var isQuick = false
    /// True if a policy must allow the connection. Such connections are kept separate.
    var isGuarded = false
}

/// Chooses the route of a request: whether its origin is allowed, which addresses, which proxy.
///
/// Names are always looked up here: a lookup by libcurl would delay a cancellation. Used on the network thread only.
struct Router {
    /// The routes to a host, best first, and the time to find them.
    struct Found {
        var routes: [Route]
        var lookup: Duration?
    }

    typealias Completion = (Result<Found, DataLoadingError>) -> Void

    /// The maximum number of addresses to try for a host.
    private static let addressLimit = 8

    private let proxies: ProxySettings
    /// True if each connection goes to one address found here, even if nothing has to be checked.
    private let pinsAll: Bool
    private let lookups: HostLookups

    init(_ settings: LoaderConfiguration, _ thread: NetworkThread) {
        proxies = settings.proxies
        pinsAll = settings.resolver != nil
        lookups = HostLookups(settings.resolver ?? SystemResolver(), thread, patience: settings.connectTimeout)
    }

    /// Finds the routes to an origin. Calls `completion` immediately if no lookup is needed.
    func route(
        to origin: Origin, hasUserInfo: Bool, within limits: TransferGuard, _ completion: @escaping Completion
    ) {
        let host = origin.host
        let refusal = limits.refusal(scheme: origin.scheme, host: host, port: origin.port, hasUserInfo: hasUserInfo)
        if let refusal { return completion(.failure(refusal)) }
        let proxy: ProxyAddress?
        do throws(DataLoadingError) {
            proxy = try proxies.proxy(scheme: origin.scheme, host: host, port: origin.port)
        } catch { return completion(.failure(error)) }
        let route = Route(proxy: proxy, isGuarded: !limits.isOpen)
        let isElsewhere = proxy?.kind.looksUp == true
        let isChecked = pinsAll || limits.looksUp(throughProxy: isElsewhere)
        // A numeric address is checked without a lookup.
        if let proxy, isElsewhere, !isChecked, NetworkAddress(host) == nil {
            return reach(proxy, by: [route], completion)
        }
        find(host) { found, time in
            switch found.flatMap({ check($0, limits) }) {
            case .failure(let error): completion(.failure(error))
            case .success(let addresses):
                let routes = isElsewhere ? [route] : routes(route, addresses, isPinned: isChecked || proxy != nil)
                guard let proxy else { return completion(.success(Found(routes: routes, lookup: time))) }
                reach(proxy, by: routes, completion)
            }
        }
    }

    func recordSuccess(of address: NetworkAddress, at host: String) { lookups.prefer(address, of: host) }

    /// Looks a host up, unless it is an IP address.
    private func find(
        _ host: String, _ completion: @escaping (Result<[NetworkAddress], DataLoadingError>, Duration?) -> Void
    ) {
        if let address = NetworkAddress(host) { return completion(.success([address]), nil) }
        let start = MonotonicClock.now()
        lookups.find(host) { completion($0, .nanoseconds(MonotonicClock.now() - start)) }
    }

    /// Looks the proxy up.
    private func reach(_ proxy: ProxyAddress, by routes: [Route], _ completion: @escaping Completion) {
        find(proxy.host) { found, time in
            completion(
                found.map { addresses in
                    var routes = routes
                    for at in routes.indices { routes[at].found = Array(addresses.prefix(Router.addressLimit)) }
                    return Found(routes: routes, lookup: time)
                }.mapError {
                    DataLoadingError($0.cause, "no connection to the proxy \(proxy.place): \($0.message)")
                })
        }
    }

    /// One forbidden address is enough: a host that has one is suspicious.
    private func check(
        _ addresses: [NetworkAddress], _ limits: TransferGuard
    ) -> Result<[NetworkAddress], DataLoadingError> {
        for address in addresses {
            if let refusal = limits.refusal(of: address) { return .failure(refusal) }
        }
        return .success(addresses)
    }

    private func routes(_ route: Route, _ addresses: [NetworkAddress], isPinned: Bool) -> [Route] {
        let addresses = addresses.prefix(Router.addressLimit)
        var route = route
        guard isPinned else {
            route.found = Array(addresses)
            return [route]
        }
        return addresses.enumerated().map { index, address in
            route.address = address
            // A proxy may take long to connect in turn.
            route.isQuick = index < addresses.count - 1 && route.proxy == nil
            return route
        }
    }
}
