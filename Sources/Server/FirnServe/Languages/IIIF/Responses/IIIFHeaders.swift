/// The header fields of IIIF responses.
///
/// Source: IIIF Image API 2.1 and 3.0, sections 4.7, 5.1, 6 and 7.1.
enum IIIFHeaders {
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

    /// Returns the media type of `info.json` for an `Accept` field.
    ///
    /// In 3.0 JSON-LD, unless the client prefers plain JSON; in 2.1 plain JSON, unless the client prefers JSON-LD.
    ///
    /// The response varies by `Accept`.
    static func informationType(accept: String?, _ version: IIIFVersion) -> String {
        let weights = FieldList.weights(accept ?? "")
        let (plain, linked) = (weights["application/json"] ?? 0, weights["application/ld+json"] ?? 0)
        switch version {
        case .two: return linked > plain ? "application/ld+json" : "application/json"
        case .three: return plain > linked ? "application/json" : "application/ld+json;profile=\"\(version.context)\""
        }
    }
}

extension IIIFVersion {
    var context: String { "http://iiif.io/api/image/\(rawValue)/context.json" }

    /// The declared compliance level.
    var profile: String { "http://iiif.io/api/image/\(rawValue)/level2.json" }

    var profileLink: String { "<\(profile)>;rel=\"profile\"" }

    /// Returns the field `Link` of `info.json`. Plain JSON needs a link to its context to be JSON-LD.
    ///
    /// Source: JSON-LD 1.0, section 6.8.
    func informationLink(type: String) -> String {
        guard type == "application/json" else { return profileLink }
        return profileLink + ", <\(context)>;rel=\"http://www.w3.org/ns/json-ld#context\";type=\"application/ld+json\""
    }
}
