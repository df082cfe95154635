import FirnData
import NIOSSL

extension TLSSettings {
    /// Returns the settings in the TLS library's form.
    ///
    /// - Throws: `insecure` if a certificate or key cannot be read.
    func configuration() throws(DataLoadingError) -> TLSConfiguration {
        var result = TLSConfiguration.makeClientConfiguration()
        result.minimumTLSVersion = oldestVersion == .tls13 ? .tlsv13 : .tlsv12
        result.certificateVerification = verifiesCertificates ? .fullVerification : .none
        if let authorities { result.trustRoots = .certificates(try TLSSettings.certificates(authorities)) }
        for source in furtherAuthorities {
            result.additionalTrustRoots.append(.certificates(try TLSSettings.certificates(source)))
        }
        if let identity {
            result.certificateChain = try TLSSettings.certificates(identity.chain).map { .certificate($0) }
            result.privateKey = .privateKey(try TLSSettings.key(identity.key))
        }
        return result
    }

    private static func certificates(_ source: Source) throws(DataLoadingError) -> [NIOSSLCertificate] {
        do {
            switch source {
            case .file(let path): return try NIOSSLCertificate.fromPEMFile(path)
            case .text(let text): return try NIOSSLCertificate.fromPEMBytes(Array(text.utf8))
            }
        } catch { throw unreadable("certificates", source) }
    }

    private static func key(_ source: Source) throws(DataLoadingError) -> NIOSSLPrivateKey {
        do {
            switch source {
            case .file(let path): return try NIOSSLPrivateKey(file: path, format: .pem)
            case .text(let text): return try NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem)
            }
        } catch { throw unreadable("a key", source) }
    }

    private static func unreadable(_ what: String, _ source: Source) -> DataLoadingError {
        var place = ""
        if case .file(let path) = source { place = " in \(path)" }
        return DataLoadingError(.insecure, "the TLS settings name \(what) that cannot be read\(place)")
    }
}
