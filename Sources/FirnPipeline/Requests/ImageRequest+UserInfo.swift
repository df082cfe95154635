extension ImageRequest {
    /// Names a value in ``userInfo``.
    public struct UserInfoKey: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name.
        public let rawValue: String

        /// A key of this name.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// A key of this name.
        public init(stringLiteral name: String) { rawValue = name }
    }
}
