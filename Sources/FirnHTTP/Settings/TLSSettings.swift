/// How servers prove who they are, and the loader who it is.
public struct TLSSettings: Hashable, Sendable {
    /// A version of TLS.
    public enum Version: Hashable, Sendable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// Where a certificate or key is; PEM in both cases.
    public enum Source: Hashable, Sendable {
        /// A file.
        case file(String)
        /// The text itself.
        case text(String)
    }

    /// A certificate with which the loader proves who it is, where a server asks for one.
    public struct Identity: Hashable, Sendable {
        /// The certificate, followed by those that vouch for it.
        public var chain: Source
        /// The key.
        public var key: Source

        /// An identity.
        public init(chain: Source, key: Source) {
            self.chain = chain
            self.key = key
        }
    }

    /// The oldest version that is spoken. 1.2: all before it are broken (RFC 8996).
    public var oldestVersion = Version.tls12
    /// The authorities whose word counts, in place of the system's; `nil`, the default, for the system's.
    public var authorities: Source?
    /// Authorities whose word counts beside those.
    public var furtherAuthorities: [Source] = []
    /// Who the loader is; `nil`, the default, for nobody.
    public var identity: Identity?
    /// Whether certificates are checked at all. Without that anybody on the way can play the server: for tests only.
    public var verifiesCertificates = true

    /// The defaults.
    public init() {}
}
