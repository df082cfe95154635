// Errors of the IIIF Image API. They name the part and the value that were refused.
extension ServeError {
    /// A part whose value is invalid or asks for something outside the limits: 400.
    static func invalid(_ part: IIIFPart, _ value: some Sequence<UInt8>, _ reason: String) -> ServeError {
        ServeError(400, "\(part.rawValue) '\(printable(value))': \(reason)")
    }

    /// A valid value of a feature that this server does not offer: 501.
    static func notImplemented(_ part: IIIFPart, _ value: some Sequence<UInt8>, _ reason: String) -> ServeError {
        ServeError(501, "\(part.rawValue) '\(printable(value))': \(reason)")
    }

    /// An identifier or path that names nothing: 404.
    static func notFound(_ what: String, _ value: some Sequence<UInt8>, _ reason: String) -> ServeError {
        ServeError(404, "\(what) '\(printable(value))': \(reason)")
    }
}
