/// An IIIF request that cannot be answered, with the HTTP status and a one-line reason.
package struct IIIFError: Error, Equatable, Sendable {
    /// The HTTP status: 400 (invalid or beyond a limit), 404 (no such resource) or 501 (valid, but not offered).
    package let status: Int
    /// Names the part and the value that were refused. Contains printable ASCII only.
    package let message: String

    package init(status: Int, message: String) {
        self.status = status
        self.message = message
    }

    /// A part whose value is invalid or asks for something outside the limits: 400.
    static func invalid(_ part: IIIFPart, _ value: some Sequence<UInt8>, _ reason: String) -> IIIFError {
        IIIFError(status: 400, message: "\(part.rawValue) '\(printable(value))': \(reason)")
    }

    /// A valid value of a feature that this server does not offer: 501.
    static func notImplemented(_ part: IIIFPart, _ value: some Sequence<UInt8>, _ reason: String) -> IIIFError {
        IIIFError(status: 501, message: "\(part.rawValue) '\(printable(value))': \(reason)")
    }

    /// An identifier or path that names nothing: 404.
    static func notFound(_ what: String, _ value: some Sequence<UInt8>, _ reason: String) -> IIIFError {
        IIIFError(status: 404, message: "\(what) '\(printable(value))': \(reason)")
    }

    /// Returns at most 64 bytes of `value`, with `?` for everything but printable ASCII.
    private static func printable(_ value: some Sequence<UInt8>) -> String {
        let bytes = value.prefix(64).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
