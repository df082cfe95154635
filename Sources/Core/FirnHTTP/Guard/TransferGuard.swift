import FirnImage

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
