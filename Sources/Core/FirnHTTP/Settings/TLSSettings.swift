public import FoundationEssentials

/// The settings of TLS: trusted authorities, the client certificate, the versions.
///
/// Certificates and keys are the content of PEM files. If it is damaged, requests fail with `insecure`.
public struct TLSSettings: Hashable, Sendable {
    /// A certificate that authenticates the loader to servers that require one.
    package struct Identity: Hashable, Sendable {
        /// The certificate, followed by the intermediate certificates.
        package var chain: Data
        package var key: Data

        package init(chain: Data, key: Data) {
            self.chain = chain
            self.key = key
        }
    }

    /// The trusted authorities; `nil` (the default) for the system's.
    public var authorities: Data?
    /// Additional trusted authorities. Default: none.
    public var furtherAuthorities: [Data] = []
    /// The loader's identity; `nil` (the default) for none.
    package var identity: Identity?
    /// True if certificates are verified. Default: `true`. `false` is for tests only: anyone on the path can then
    /// impersonate the server.
    public var verifiesCertificates = true

    /// True if servers must support TLS 1.3. Default: no, since 1.2 is secure. Older versions are never used (RFC
    /// 8996).
    public var requiresTLS13 = false

    /// Sets the client certificate, which authenticates the loader to servers that require one.
    ///
    /// - Parameters:
    ///   - chain: the certificate, followed by the intermediate certificates.
    ///   - key: the certificate's private key.
    public mutating func setClientCertificate(chain: Data, key: Data) {
        identity = Identity(chain: chain, key: key)
    }

    /// Creates the default settings.
    public init() {}
}
