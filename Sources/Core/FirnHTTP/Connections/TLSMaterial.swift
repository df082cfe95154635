import CFirnCurl
import FoundationEssentials

/// The TLS settings in libcurl's form, with the content of the certificates and keys.
///
/// Safety: written by `init` only.
final class TLSMaterial: @unchecked Sendable {
    private static let mark = "-----BEGIN "

    let settings: UnsafePointer<firn_curl_tls>
    /// The settings without verification of servers.
    let open: UnsafePointer<firn_curl_tls>
    private var buffers: [UnsafeMutableBufferPointer<CChar>] = []

    /// Reads the certificates and keys of the settings.
    ///
    /// - Throws: `insecure` if a certificate or key cannot be read.
    init(_ loader: LoaderConfiguration) throws(DataLoadingError) {
        var authorities = try TLSMaterial.read(loader.authorities)
        var hasFolder = false
        if authorities == nil, !loader.furtherAuthorities.isEmpty {
            // The system's authorities: a folder, from which OpenSSL reads as needed, or one file.
            hasFolder = firn_curl_authority_folder() != nil
            authorities = Data()
            if !hasFolder, let file = firn_curl_authority_file() {
                let path = URL(filePath: String(cString: file))
                authorities = try TLSMaterial.read((try? Data(contentsOf: path)) ?? Data())
            }
        }
        for further in loader.furtherAuthorities {
            authorities?.append(10)
            authorities?.append(try TLSMaterial.read(further) ?? Data())
        }
        let chain = try TLSMaterial.read(loader.clientCertificate?.chain)
        let key = try TLSMaterial.read(loader.clientCertificate?.key, "a key", "")
        var material = firn_curl_tls()
        var buffers: [UnsafeMutableBufferPointer<CChar>] = []
        func keep(_ data: Data?) -> (UnsafePointer<CChar>?, Int) {
            guard let data else { return (nil, 0) }
            let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: data.count + 1)
            _ = buffer.initialize(from: data.map { CChar(bitPattern: $0) } + [0])
            buffers.append(buffer)
            return (UnsafePointer(buffer.baseAddress), data.count)
        }
        (material.authorities, material.authorities_length) = keep(authorities)
        (material.chain, material.chain_length) = keep(chain)
        (material.key, material.key_length) = keep(key)
        if hasFolder { material.authority_folder = firn_curl_authority_folder() }
        material.requires_tls13 = loader.requiresTLS13
        material.accepts_everyone = !loader.verifiesCertificates
        settings = TLSMaterial.copy(material)
        material.accepts_everyone = true
        open = TLSMaterial.copy(material)
        self.buffers = buffers
    }

    deinit {
        settings.deallocate()
        open.deallocate()
        buffers.forEach { $0.deallocate() }
    }

    private static func copy(_ material: firn_curl_tls) -> UnsafePointer<firn_curl_tls> {
        let place = UnsafeMutablePointer<firn_curl_tls>.allocate(capacity: 1)
        place.initialize(to: material)
        return UnsafePointer(place)
    }

    /// Returns a certificate or key.
    ///
    /// - Throws: `insecure` if it is not in PEM format. libcurl checks the rest, and reports damage.
    private static func read(
        _ data: Data?, _ what: String = "certificates", _ kind: String = "CERTIFICATE"
    ) throws(DataLoadingError) -> Data? {
        guard let data else { return nil }
        guard String(decoding: data, as: UTF8.self).contains(mark + kind) else {
            throw .unreadable(what)
        }
        return data
    }
}
