import FirnData

/// The way of a request to its server.
struct Route: Hashable {
    /// The proxy; `nil` for none.
    var proxy: ProxyAddress?
    /// The address of the host that was looked up and checked, and that alone is connected to; `nil` if libcurl chooses
    /// among ``found``.
    var address: NetworkAddress?
    /// The addresses of the host, or of the proxy, best first; empty for a host that is an address.
    var found: [NetworkAddress] = []
    /// True if the time limit for connecting is short, because another address is available.
    var isQuick = false
    /// True if a policy has to allow the connection. Such connections are kept apart from the others.
    var isGuarded = false
}
