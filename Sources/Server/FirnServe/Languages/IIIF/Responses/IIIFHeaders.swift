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

    /// Returns the media type of `info.json` for an `Accept` field: JSON-LD, unless the client prefers plain JSON.
    ///
    /// The response varies by `Accept`.
    static func informationType(accept: String?) -> String {
        let weights = FieldList.weights(accept ?? "")
        let isPlain = weights["application/json"] ?? 0 > weights["application/ld+json"] ?? 0
        return isPlain ? "application/json" : "application/ld+json;profile=\"\(context)\""
    }
}
