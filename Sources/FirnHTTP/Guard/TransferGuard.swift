package import FirnData
import FirnImage

/// Where the requests of one transfer may go. A value: told of redirects, asked about addresses.
///
/// Rules, each of which has to permit an address:
/// 1. the policy for all requests, ``LoaderConfiguration/network``, if there is one;
/// 2. for a request whose address did not come from the program (``/FirnData/DataRequest/isUntrusted``),
///    ``LoaderConfiguration/untrustedNetwork``;
/// 3. where neither holds, for a redirect, ``LoaderConfiguration/redirectNetwork``, if that permits the address of the server
///    that redirects: so the public Internet does not lead inside, while a server inside may.
package struct TransferGuard: Equatable {
    /// Judge every address of the transfer.
    private let policies: [NetworkPolicy]
    private let redirectPolicy: NetworkPolicy?
    /// Whether the last redirect came from where ``redirectPolicy`` has a say.
    private var isLedFromOutside = false

    package init(
        network: NetworkPolicy? = nil, untrusted: NetworkPolicy? = nil, redirects: NetworkPolicy? = nil
    ) {
        policies = [network, untrusted].compactMap(\.self)
        redirectPolicy = policies.isEmpty ? redirects : nil
    }

    /// Whether nothing has to be checked.
    package var isOpen: Bool { policies.isEmpty && !isLedFromOutside }

    /// Whether hosts have to be looked up before they are asked; a proxy that is used only for what it finds itself is not
    /// stood in the way of by a redirect.
    package func looksUp(throughProxy: Bool) -> Bool { !policies.isEmpty || isLedFromOutside && !throughProxy }

    /// Takes a redirect.
    ///
    /// - Parameter sender: the address of the server that redirects; `nil` if it is unknown, as behind a proxy.
    package mutating func redirected(by sender: NetworkAddress?) {
        guard let redirectPolicy else { return }
        isLedFromOutside = sender.map { redirectPolicy.refusal(of: $0) == nil } ?? true
    }

    /// Why a URL may not be fetched, as far as that can be seen without looking its host up.
    package func refusal(scheme: String, port: Int, hasUserInfo: Bool) -> DataLoadingError? {
        policies.lazy.compactMap { $0.refusal(scheme: scheme, port: port, hasUserInfo: hasUserInfo) }.first
    }

    /// Why an address may not be connected to.
    package func refusal(of address: NetworkAddress) -> DataLoadingError? {
        if let error = policies.lazy.compactMap({ $0.refusal(of: address) }).first { return error }
        guard isLedFromOutside, let error = redirectPolicy?.refusal(of: address) else { return nil }
        return DataLoadingError(
            error.cause, "a redirect leads inside: \(error.message); the loader's redirectNetwork can allow it")
    }

    /// The longest body in bytes: the lowest of the limits.
    package func maximumBytes(_ limit: Int) -> Int {
        policies.compactMap(\.limits?.maximumBytes).min().map { min($0, limit) } ?? limit
    }

    /// How many times as long a body may become by decompression: the lowest of the limits.
    package func maximumExpansion(_ limit: Int) -> Int {
        policies.compactMap(\.limits?.maximumExpansion).min().map { min($0, limit) } ?? limit
    }

    /// How long the transfer may take: the shortest of the limits; `nil` for any time.
    package func timeLimit(_ limit: Duration?) -> Duration? {
        (policies.compactMap(\.timeLimit) + (limit.map { [$0] } ?? [])).min()
    }
}
