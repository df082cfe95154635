/// Conditions that are sent only to the address that redirects led to before.
///
/// Validators belong to the address that sent them (RFC 9110 §8.8.3): the same entity tag means nothing for another
/// address. A loader that follows redirects adds ``headers`` to the request for ``url`` and to no other. A loader that
/// ignores them loads the whole body.
package struct TargetConditions: Hashable, Sendable {
    /// The address that sent the validators.
    package var url: String
    /// `If-None-Match` and `If-Modified-Since`.
    package var headers: HTTPHeaderFields
    /// Whether the stored response of ``url`` is fresh. A loader that is redirected there then need not send a request:
    /// it reports a response with status 304 and ``DataResponse/isUnasked``, and ends the transfer.
    package var isFresh: Bool

    /// Creates conditions for one address.
    package init(url: String, headers: HTTPHeaderFields, isFresh: Bool = false) {
        self.url = url
        self.headers = headers
        self.isFresh = isFresh
    }
}
