import Crypto
import FoundationEssentials
import X509

/// An authority that lives for a test, and the certificates it signs. PEM.
struct TestAuthority {
    struct Signed {
        let certificate: String
        let key: String
    }

    let certificate: String
    private let name: DistinguishedName
    private let key: Certificate.PrivateKey

    init(_ name: String = "Firn test authority") throws {
        self.name = try DistinguishedName { CommonName(name) }
        key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(KeyUsage(digitalSignature: true, keyCertSign: true))
        }
        let made = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: Date(timeIntervalSinceNow: -86_400), notValidAfter: Date(timeIntervalSinceNow: 86_400),
            issuer: self.name, subject: self.name, extensions: extensions, issuerPrivateKey: key)
        certificate = try made.serializeAsPEM().pemString
    }

    /// A certificate for a host, valid between two times from now, in seconds.
    func sign(_ host: String, from: TimeInterval = -3600, to: TimeInterval = 3600) throws -> Signed {
        let own = P256.Signing.PrivateKey()
        let extensions = try Certificate.Extensions {
            BasicConstraints.notCertificateAuthority
            SubjectAlternativeNames([.dnsName(host)])
        }
        let made = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PrivateKey(own).publicKey, notValidBefore: Date(timeIntervalSinceNow: from),
            notValidAfter: Date(timeIntervalSinceNow: to), issuer: name,
            subject: try DistinguishedName { CommonName(host) }, extensions: extensions, issuerPrivateKey: key)
        return Signed(certificate: try made.serializeAsPEM().pemString, key: own.pemRepresentation)
    }
}
