/// A page or an asset of a page.
package struct PageResource: Equatable, Sendable {
    /// The media type, with the charset.
    package let mediaType: String
    /// The content, in UTF-8.
    package let body: String
    /// The `Content-Security-Policy` of the response.
    package let policy: String
    /// Whether the content is the same until the server is upgraded, so that clients may keep it.
    package let isConstant: Bool

    /// The security fields of the response: the policy, no type sniffing, no referrer.
    package var headers: [(name: String, value: String)] {
        [
            ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
        ]
    }
}
