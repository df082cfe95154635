import FirnData

/// The address of the server as the client sees it, for identifiers and links.
package struct IIIFBase: Equatable, Sendable {
    /// The address up to the identifier, for example `https://example.org/iiif/`.
    package let text: String

    /// Creates the address from the parts of a request.
    ///
    /// Returns nil for another scheme than `http` and `https`, and for an authority with characters that no host and
    /// port contain, since it comes from the client and is written to headers.
    /// - Parameter prefix: the start of paths that proxies remove. Default: none.
    package init?(scheme: String, authority: String, prefix: String = "") {
        guard ["http", "https"].contains(scheme), (1...255).contains(authority.utf8.count) else { return nil }
        guard authority.utf8.allSatisfy(Self.isAuthorityByte) else { return nil }
        text = "\(scheme)://\(authority)\(prefix)\(IIIFParser.prefix)"
    }

    /// The address of an image as the client spelled it, which is the `id` of `info.json`.
    package func uri(of request: IIIFRequest) -> String { text + request.requestedIdentifier }

    /// The address to which `{id}` is redirected with status 303.
    package func informationURI(of request: IIIFRequest) -> String { uri(of: request) + "/info.json" }

    /// The canonical address of a result. `^` is percent-encoded.
    package func canonicalURI(of identifier: IIIFIdentifier, plan: IIIFPlan) -> String {
        let parameters = plan.canonical.utf8.flatMap { $0 == UInt8(ascii: "^") ? Array("%5E".utf8) : [$0] }
        return text + identifier.encoded + "/" + String(decoding: parameters, as: UTF8.self)
    }

    private static func isAuthorityByte(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "~") && PercentEncoding.isUnreserved(byte) || ":[]".utf8.contains(byte)
    }
}
