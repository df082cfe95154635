/// What a request is for, as metrics and logs name it.
enum RequestLanguage: String, Sendable, CaseIterable {
    case health, iiif, page, information, placeholder, imgproxy

    /// - Parameter prefix: what paths of imgproxy's language start with.
    init(target: String, prefix: String) {
        if target == "/health" {
            self = .health
        } else if target.hasPrefix("/iiif/") {
            self = .iiif
        } else if target.hasPrefix("/view/") || target.hasPrefix("/view-assets/") {
            self = .page
        } else if target.hasPrefix(prefix + "/info/") {
            self = .information
        } else if target.hasPrefix(prefix + "/blurhash/") || target.hasPrefix(prefix + "/thumbhash/") {
            self = .placeholder
        } else {
            self = .imgproxy
        }
    }
}
