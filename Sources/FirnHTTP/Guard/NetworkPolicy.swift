package import FirnData
public import FirnImage
import FoundationEssentials

/// The addresses that a loader may connect to: for URLs that do not come from the program itself.
///
/// It is asked about every address of a transfer, redirects included, before anything is sent: scheme, port and what the
/// host is. Names are looked up once, every answer is checked, and the connection goes to an address that was checked;
/// when it is there, its other end is checked again. So nobody gets past it with a name that changes its address.
///
/// Through a proxy, the proxy makes the connection: names are checked as we see them, and where the proxy really goes is
/// for the proxy to guard.
public struct NetworkPolicy: Hashable, Sendable {
    /// The schemes. `http` and `https`; nothing else can be fetched anyway.
    public var schemes: Set<String> = ["http", "https"]
    /// The ports; `nil` for any.
    public var ports: Set<Int>?
    /// Whether addresses that are not of the public Internet may be talked to: private, loopback, link-local, shared,
    /// multicast, reserved, metadata services; and addresses of version 6 that stand for such ones of version 4.
    public var allowsSpecialAddresses = false
    /// The ranges that are allowed in any case.
    public var allowed: [AddressRange] = []
    /// The ranges that are refused in any case.
    public var denied: [AddressRange] = []
    /// Whether an address may carry a user's name and password. No.
    public var allowsUserInfo = false
    /// What bodies may cost; each limit counts where it is lower than the loader's. `nil`, the default: the loader's.
    public var limits: ImageLimits?
    /// How long a transfer may take; counts if it is less than the loader's own limit.
    public var timeLimit: Duration?

    /// Everything of the public Internet, at any port.
    public init() {}

    /// For addresses of unknown origin: the public Internet at the ports 80, 443, 8080 and 8443, 64 MiB and two minutes for
    /// each. The default for requests that are marked as ``/FirnData/DataRequest/isUntrusted``.
    public static var guarded: NetworkPolicy {
        var policy = NetworkPolicy()
        policy.ports = [80, 443, 8080, 8443]
        var limits = ImageLimits()
        limits.maximumBytes = 64 << 20
        policy.limits = limits
        policy.timeLimit = .seconds(120)
        return policy
    }

    /// Why a URL may not be fetched, as far as that can be seen without looking its host up.
    package func refusal(scheme: String, port: Int, hasUserInfo: Bool) -> DataLoadingError? {
        if !schemes.contains(scheme) { return refuse("the scheme \(scheme)") }
        if let ports, !ports.contains(port) { return refuse("port \(port)") }
        if hasUserInfo, !allowsUserInfo { return refuse("a user name in an address") }
        return nil
    }

    /// Why an address may not be connected to.
    package func refusal(of address: NetworkAddress) -> DataLoadingError? {
        let reachable = address.reachable
        if let range = denied.first(where: { range in reachable.contains { range.contains($0) } }) {
            return refuse("\(address), which is in \(range),")
        }
        if allowsSpecialAddresses { return nil }
        if allowed.contains(where: { $0.contains(address) }) { return nil }
        for place in reachable {
            // One that only wraps one of version 4 is what that is.
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
