/// The settings of TLS: trusted authorities, the client certificate, the versions.
public struct TLSSettings: Hashable, Sendable {
    /// A version of TLS.
    package enum Version: Hashable, Sendable {
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
    package struct Identity: Hashable, Sendable {
        /// The certificate, followed by those that vouch for it.
        package var chain: Source
        /// The key.
        package var key: Source

        /// An identity.
        package init(chain: Source, key: Source) {
            self.chain = chain
            self.key = key
        }
    }

    /// The oldest version that is spoken. 1.2: all before it are broken (RFC 8996).
    package var oldestVersion = Version.tls12
    /// The trusted authorities, in place of the system's; `nil`, the default, for the system's.
    public var authorities: Source?
    /// Authorities that are trusted beside those.
    public var furtherAuthorities: [Source] = []
    /// Who the loader is; `nil`, the default, for nobody.
    package var identity: Identity?
    /// Whether certificates are checked at all. Without that anybody on the way can play the server: for tests only.
    public var verifiesCertificates = true

    /// Whether servers have to speak TLS 1.3. Default: no, 1.2 will do.
    public var requiresTLS13: Bool {
        get { oldestVersion == .tls13 }
        set { oldestVersion = newValue ? .tls13 : .tls12 }
    }

    /// Sets the client certificate, with which the loader proves who it is to servers that ask for one.
    ///
    /// - Parameters:
    ///   - chain: the certificate, followed by those that vouch for it.
    ///   - key: the certificate's private key.
    public mutating func setClientCertificate(chain: Source, key: Source) {
        identity = Identity(chain: chain, key: key)
    }

    /// Creates the defaults.
    public init() {}
}
