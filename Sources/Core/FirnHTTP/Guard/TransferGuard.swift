import FirnImage
import FirnSync
import FirnSystem

/// The addresses that one transfer may use. A pure value: redirects in, decisions out.
///
/// Each of these policies must allow an address:
/// 1. the one for all requests, ``LoaderConfiguration/network``, if set;
/// 2. for an untrusted request (``/FirnData/DataRequest/isUntrusted``), ``LoaderConfiguration/untrustedPolicy``;
/// 3. if neither applies, for a redirect, ``LoaderConfiguration/redirectPolicy``, provided that it allows the address
///    of the redirecting server. So a public server cannot redirect to an internal address, while an internal server
///    can.
package struct TransferGuard: Equatable {
    /// The policies that apply to every address of the transfer.
    private let policies: [NetworkPolicy]
    private let redirectPolicy: NetworkPolicy?
    /// True if the last redirect came from an address that ``redirectPolicy`` allows.
    private var isLedFromOutside = false

    package init(
        network: NetworkPolicy? = nil, untrusted: NetworkPolicy? = nil,
        redirects: NetworkPolicy? = nil
    ) {
        policies = [network, untrusted].compactMap(\.self)
        redirectPolicy = policies.isEmpty ? redirects : nil
    }

    /// True if nothing has to be checked.
    package var isOpen: Bool { policies.isEmpty && !isLedFromOutside }

    /// Returns whether hosts have to be looked up before the request. A redirect alone does not require it if a proxy
    /// looks hosts up itself.
    package func looksUp(throughProxy: Bool) -> Bool { !policies.isEmpty || isLedFromOutside && !throughProxy }

    /// Records a redirect.
    ///
    /// - Parameter sender: the address of the redirecting server; `nil` if it is unknown, as behind a proxy.
    package mutating func redirected(by sender: NetworkAddress?) {
        guard let redirectPolicy else { return }
        isLedFromOutside = sender.map { redirectPolicy.refusal(of: $0) == nil } ?? true
    }

    /// Returns why a URL is forbidden, as far as known before the host lookup; `nil` if it is allowed.
    package func refusal(scheme: String, host: String, port: Int, hasUserInfo: Bool) -> DataLoadingError? {
        policies.lazy.compactMap {
            $0.refusal(scheme: scheme, host: host, port: port, hasUserInfo: hasUserInfo)
        }.first
    }

    /// Returns why an address is forbidden; `nil` if it is allowed.
    package func refusal(of address: NetworkAddress) -> DataLoadingError? {
        if let error = policies.lazy.compactMap({ $0.refusal(of: address) }).first { return error }
        guard isLedFromOutside, let error = redirectPolicy?.refusal(of: address) else { return nil }
        return DataLoadingError(
            error.cause, "a redirect leads inside: \(error.message); the loader's redirectPolicy can allow it")
    }

    /// Returns the maximum length of a body in bytes: the lowest of the limits.
    package func maximumBytes(_ limit: Int) -> Int {
        policies.compactMap(\.limits?.maximumBytes).min().map { min($0, limit) } ?? limit
    }

    /// Returns the maximum ratio of decompression: the lowest of the limits.
    package func maximumExpansion(_ limit: Int) -> Int {
        policies.compactMap(\.limits?.maximumExpansion).min().map { min($0, limit) } ?? limit
    }

    /// Returns the maximum time of the transfer: the shortest of the limits; `nil` for no limit.
    package func timeLimit(_ limit: Duration?) -> Duration? {
        (policies.compactMap(\.timeLimit) + (limit.map { [$0] } ?? [])).min()
    }
}

/// Resolves hosts with the system's `getaddrinfo`, on threads that may block.
package struct SystemResolver: HostResolving {
    /// Separate threads, so that unresponsive name servers delay nothing else.
    private static let threads = WorkerQueue(count: 16)

    /// Looks a name up as configured on the machine: hosts file, then name servers.
    package func resolve(
        _ host: String, answer: @escaping @Sendable (Result<[NetworkAddress], DataLoadingError>) -> Void
    ) {
        SystemResolver.threads.run {
            answer(SystemResolver.addresses(of: host))
        } refused: {
            answer(.failure(DataLoadingError(.connection, "cannot look up \(host): \(ThreadShortage())")))
        }
    }

    private static func addresses(of host: String) -> Result<[NetworkAddress], DataLoadingError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else {
            let words = code == EAI_NONAME ? "" : ": \(String(cString: gai_strerror(code)).lowercased())"
            return .failure(DataLoadingError(.connection, "unknown host \(host)\(words)"))
        }
        var found: [NetworkAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            if let address = NetworkAddress(entry.ai_addr), !found.contains(address) { found.append(address) }
        }
        guard !found.isEmpty else { return .failure(DataLoadingError(.connection, "unknown host \(host)")) }
        return .success(found)
    }
}

package protocol HostResolving: Sendable {
    /// Looks a name up. Returns at once, and calls `answer` exactly once, on any thread, possibly before it returns.
    ///
    /// - Parameter answer: called with the addresses, best first, or the error.
    func resolve(_ host: String, answer: @escaping @Sendable (Result<[NetworkAddress], DataLoadingError>) -> Void)
}
