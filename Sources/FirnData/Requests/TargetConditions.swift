/// What is known of the address that redirects led to before: sent to that address only.
///
/// Validators belong to the address that gave them (RFC 9110 §8.8.3): the same entity tag of another address says nothing. A loader
/// that follows redirects adds ``headers`` to the request for ``url`` and to no other. A loader that ignores them loads everything.
package struct TargetConditions: Hashable, Sendable {
    /// The address that gave the validators.
    package var url: String
    /// `If-None-Match` and `If-Modified-Since`.
    package var headers: HTTPHeaderFields
    /// Whether the kept response of ``url`` is fresh. A loader that is redirected there then need not ask: it reports a response
    /// with status 304, ``DataResponse/isUnasked`` set, and ends the transfer.
    package var isFresh: Bool

    /// Conditions for one address.
    package init(url: String, headers: HTTPHeaderFields, isFresh: Bool = false) {
        self.url = url
        self.headers = headers
        self.isFresh = isFresh
    }
}
