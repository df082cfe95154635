public import FirnImage

/// The addresses that requests may use, and limits for their transfers.
///
/// A loader has one policy for all requests, one for untrusted requests, and one for redirects:
/// `network`, `untrustedPolicy` and `redirectPolicy` of ``LoaderConfiguration``.
///
/// Every address of a transfer, including redirects, is checked before anything is sent: scheme, port and host. Names
/// are looked up once, every result is checked, and the connection goes to a checked address. The address of the peer
/// is checked again after connecting. So a name that changes its address cannot bypass the policy.
///
/// With a proxy, the proxy connects, and only a part can be checked here. Scheme, port, host and numeric addresses are
/// checked as without one. The rest depends on which side looks names up:
/// - `socks4` and `socks5` get an address that was looked up and checked here. Nothing is missing.
/// - `http`, `https`, `socks4a` and `socks5h` get the name. Under a policy for requests, the name is also looked up
///   here, every result is checked, and an unknown name is refused. But the proxy may find another address, which
///   cannot be checked: the proxy must guard its own targets. Under the policy for redirects alone, names are not
///   looked up here.
///
/// The address of the proxy itself is not checked.
public struct NetworkPolicy: Hashable, Sendable {
    /// The allowed schemes. Default: `http` and `https`, the only ones that can be loaded.
    public var schemes: Set<String> = ["http", "https"]
    /// The allowed ports; `nil` (the default) for any.
    public var ports: Set<Int>?
    /// The allowed hosts; `nil` (the default) for any. `example.org` allows this name, `*.example.org` its
    /// subdomains, `*` everything. Names are compared case-insensitively. Redirects must also lead to allowed
    /// hosts.
    public var hosts: Set<String>?
    /// True if addresses outside the public Internet are allowed: private, loopback, link-local, shared, multicast,
    /// reserved, metadata services, and IPv6 addresses that represent such IPv4 addresses. Default: no.
    public var allowsSpecialAddresses = false
    /// The ranges that are always allowed. Default: none.
    package var allowed: [AddressRange] = []
    /// The ranges that are always refused. Default: none.
    package var denied: [AddressRange] = []
    /// True if an address may contain a user name and password. Default: no.
    public var allowsUserInfo = false
    /// Limits for bodies. Each applies if it is lower than the loader's. Default: `nil`, the loader's limits.
    public var limits: ImageLimits?
    /// The maximum time of a transfer. Applies if it is shorter than the loader's own limit. Default: `nil`, the
    /// loader's limit.
    public var timeLimit: Duration?

    /// Creates a policy that allows the public Internet at any port.
    public init() {}

    /// Always allows a range of addresses in CIDR notation (`10.0.0.0/8`, `fc00::/7`), or one address, unless it is
    /// denied.
    ///
    /// - Returns: false if the text is neither; then nothing changes.
    public mutating func allow(_ range: String) -> Bool {
        guard let range = AddressRange(range) else { return false }
        allowed.append(range)
        return true
    }

    /// Always denies a range of addresses in CIDR notation, or one address, even if it is allowed.
    ///
    /// - Returns: false if the text is neither; then nothing changes.
    public mutating func deny(_ range: String) -> Bool {
        guard let range = AddressRange(range) else { return false }
        denied.append(range)
        return true
    }

    /// The policy for untrusted addresses: the public Internet on ports 80, 443, 8080 and 8443, at most 64 MiB and
    /// two minutes per transfer.
    public static var guarded: NetworkPolicy {
        var policy = NetworkPolicy()
        policy.ports = [80, 443, 8080, 8443]
        var limits = ImageLimits()
        limits.maximumBytes = 64 << 20
        policy.limits = limits
        policy.timeLimit = .seconds(120)
        return policy
    }

    /// Returns why a URL is forbidden, as far as known before the host lookup; `nil` if it is allowed.
    package func refusal(scheme: String, host: String, port: Int, hasUserInfo: Bool) -> DataLoadingError? {
        if !schemes.contains(scheme) { return refuse("the scheme \(scheme)") }
        if let ports, !ports.contains(port) { return refuse("port \(port)") }
        if hasUserInfo, !allowsUserInfo { return refuse("a user name in an address") }
        if let hosts, !NetworkPolicy.contains(hosts, host) { return refuse("this host") }
        return nil
    }

    /// Returns whether a set of names and patterns allows a host.
    package static func contains(_ hosts: Set<String>, _ host: String) -> Bool {
        let name = host.lowercased()
        let parents = name.indices.filter { name[$0] == "." }.map { "*" + name[$0...] }
        return hosts.contains { allowed in
            let allowed = allowed.lowercased()
            return allowed == "*" || allowed == name || parents.contains(allowed)
        }
    }

    /// Returns why an address is forbidden; `nil` if it is allowed.
    package func refusal(of address: NetworkAddress) -> DataLoadingError? {
        let reachable = address.reachable
        if let range = denied.first(where: { range in reachable.contains { range.contains($0) } }) {
            return refuse("\(address), which is in \(range),")
        }
        if allowsSpecialAddresses { return nil }
        if allowed.contains(where: { $0.contains(address) }) { return nil }
        for place in reachable {
            // An IPv6 address that only wraps an IPv4 address is judged by the IPv4 address.
            if place == address, reachable.count > 1, address.high == 0 || address.high == 0x64_FF9B << 32 { continue }
            if place != address, allowed.contains(where: { $0.contains(place) }) { continue }
            guard let name = SpecialAddresses.name(of: place) else { continue }
            return refuse("\(address) (\(name))")
        }
        return nil
    }

    private func refuse(_ what: String) -> DataLoadingError {
        DataLoadingError(.forbidden, "\(what) is not allowed by the network policy")
    }
}
