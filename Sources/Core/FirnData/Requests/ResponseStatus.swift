/// The meaning of a response's status for the load, and for an older stored response of the same address.
package enum ResponseStatus {
    /// Returns whether the server failed, so that a stale response may be used instead of this one.
    ///
    /// - Source: RFC 5861 §4, which names these four.
    package static func isServerFailure(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

    /// Returns whether a status is a redirect that clients follow automatically.
    package static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Returns whether the server refused the request because of its credentials, which says nothing about the content.
    package static func isRefusal(_ status: Int) -> Bool { status == 401 || status == 403 }

    /// Returns whether the address no longer has its earlier content, so that an older response must not be reused.
    ///
    /// `true` for 400 to 499, except for statuses about the request, the connection or the time: 407, 408, 412, 416,
    /// 421, 425 and 429.
    /// - Source: RFC 9111 §4.3.3: a full response replaces the stored one.
    package static func endsOlder(_ status: Int) -> Bool {
        (400..<500).contains(status) && ![407, 408, 412, 416, 421, 425, 429].contains(status)
    }
}
