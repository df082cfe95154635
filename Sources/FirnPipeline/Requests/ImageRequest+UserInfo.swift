extension ImageRequest {
    /// Names a value in ``userInfo``.
    public struct UserInfoKey: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name.
        public let rawValue: String

        /// Creates a key of this name.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// Creates a key of this name.
        public init(stringLiteral name: String) { rawValue = name }
    }
}
