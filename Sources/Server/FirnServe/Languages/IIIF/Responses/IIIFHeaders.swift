import FirnData

/// The header fields of IIIF responses.
///
/// Source: IIIF Image API 3.0, sections 4.7, 5.1, 6 and 7.1.
enum IIIFHeaders {
    static let context = "http://iiif.io/api/image/3/context.json"
    /// The declared compliance level.
    static let profile = "http://iiif.io/api/image/3/level2.json"

    /// The fields of every response, including errors.
    static let crossOrigin = [
        (name: "Access-Control-Allow-Origin", value: "*"),
        (name: "Access-Control-Expose-Headers", value: "ETag, Link"),
    ]

    /// The additional fields of the response to OPTIONS.
    static let preflight = [
        (name: "Access-Control-Allow-Methods", value: "GET, HEAD, OPTIONS"),
        (name: "Access-Control-Allow-Headers", value: "Accept, If-None-Match, Range"),
        (name: "Access-Control-Max-Age", value: "86400"),
    ]

    static let informationLink = "<\(profile)>;rel=\"profile\""

    static func imageLink(canonical uri: String) -> String {
        "\(informationLink), <\(uri)>;rel=\"canonical\""
    }

    /// Returns the media type of `info.json` for an `Accept` field: JSON-LD, unless the client prefers plain JSON.
    ///
    /// The response varies by `Accept`. At most 64 media ranges are read.
    static func informationType(accept: String?) -> String {
        var plain = 0
        var linked = 0
        for range in FieldList.members(accept ?? "").prefix(64) {
            let parts = range.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            switch parts.first {
            case "application/json": plain = max(plain, weight(parts))
            case "application/ld+json": linked = max(linked, weight(parts))
            default: break
            }
        }
        return plain > linked ? "application/json" : "application/ld+json;profile=\"\(context)\""
    }

    /// Returns the quality value in thousandths: 1000 if it is missing, 0 if it is malformed.
    private static func weight(_ parameters: [String]) -> Int {
        guard let text = parameters.dropFirst().first(where: { $0.hasPrefix("q=") }) else { return 1000 }
        return min(1000, (IIIFNumber.decimal(Array(text.utf8.dropFirst(2))) ?? 0) / 1000)
    }
}

/// The public address of the server, for identifiers and links.
struct IIIFBase: Equatable, Sendable {
    /// The address up to the identifier, for example `https://example.org/iiif/`.
    let text: String

    /// Creates the address from the parts of a request.
    ///
    /// Returns nil for schemes other than `http` and `https`, and for authorities with characters that are invalid in
    /// hosts and ports, since they come from the client and are written to headers.
    /// - Parameter prefix: the path prefix that proxies remove. Default: none.
    init?(scheme: String, authority: String, prefix: String = "") {
        guard ["http", "https"].contains(scheme), (1...255).contains(authority.utf8.count) else { return nil }
        guard authority.utf8.allSatisfy(Self.isAuthorityByte) else { return nil }
        text = "\(scheme)://\(authority)\(prefix)\(IIIFParser.prefix)"
    }

    /// Returns the address of an image as the client spelled it: the `id` of `info.json`.
    func uri(of request: IIIFRequest) -> String { text + request.requestedIdentifier }

    /// Returns the address to which `{id}` is redirected with status 303.
    func informationURI(of request: IIIFRequest) -> String { uri(of: request) + "/info.json" }

    /// Returns the canonical address of a result. `^` is percent-encoded.
    func canonicalURI(of identifier: IIIFIdentifier, plan: IIIFPlan) -> String {
        let parameters = plan.canonical.utf8.flatMap { $0 == UInt8(ascii: "^") ? Array("%5E".utf8) : [$0] }
        return text + identifier.encoded + "/" + String(decoding: parameters, as: UTF8.self)
    }

    private static func isAuthorityByte(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "~") && PercentEncoding.isUnreserved(byte) || ":[]".utf8.contains(byte)
    }
}
