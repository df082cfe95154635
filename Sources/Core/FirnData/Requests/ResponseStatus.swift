/// The meaning of a response's status for the load, and for an older stored response of the same address.
package enum ResponseStatus {
    /// Returns whether the server failed, so that a stale response may be used instead of this one.
    ///
    /// - Source: RFC 5861 §4, which names these four.
    package static func isServerFailure(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

    /// Returns whether a status is a redirect that a client follows by itself.
    package static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Returns whether the server refused the request because of its credentials, which says nothing about the content.
    package static func isRefusal(_ status: Int) -> Bool { status == 401 || status == 403 }

    /// Returns whether the address no longer has such content, so that an older response must not be used again.
    ///
    /// `true` for 400 to 499, except for statuses that concern the request, the connection or the time: 407, 408,
    /// 412, 416, 421, 425 and 429.
    /// - Source: RFC 9111 §4.3.3: a full response replaces the stored one.
    package static func endsOlder(_ status: Int) -> Bool {
        (400..<500).contains(status) && ![407, 408, 412, 416, 421, 425, 429].contains(status)
    }
}

extension DataResponse {
    /// Returns the error of a response whose status is a failure; `nil` if its body can be used.
    ///
    /// This is the one place that judges: for ``/FirnHTTP/DataLoader``, and for a loader of your own that calls it
    /// before it reports the response. A status of 200 to 299 is a success, and so is 304 to a request with
    /// `If-None-Match` or `If-Modified-Since`. Everything else fails with ``DataLoadingError/Cause/status(_:)``, a
    /// redirect that was not followed included. `Retry-After` is taken over.
    ///
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - reason: the reason phrase of the server, for the error's message.
    /// - Source: RFC 9110 §15.
    public func failure(for request: DataRequest, reason: String = "") -> DataLoadingError? {
        guard let status, !(200..<300).contains(status) else { return nil }
        let isConditional = request.headers["If-None-Match"] != nil || request.headers["If-Modified-Since"] != nil
        if status == 304, isConditional { return nil }
        return DataLoadingError(
            .status(status), "the server responded with " + (reason.isEmpty ? "\(status)" : "\(status) \(reason)"),
            retryAfter: RetryAfter.delay(headers, now: Duration.sinceEpoch().components.seconds))
    }
}
