/// An imgproxy request that cannot be answered, with the HTTP status and a one-line reason.
package struct ImgproxyError: Error, Equatable, Sendable {
    /// The HTTP status: 403, 404 or 422.
    package var status: Int
    /// Names the option and the value that were refused. Values are shortened and contain printable ASCII only.
    package var message: String

    package init(status: Int, message: String) {
        self.status = status
        self.message = message
    }

    /// A request that cannot be parsed or is not allowed: 404.
    static func notFound(_ message: String) -> ImgproxyError { ImgproxyError(status: 404, message: message) }

    /// A missing right: 403.
    static func forbidden(_ message: String) -> ImgproxyError { ImgproxyError(status: 403, message: message) }

    /// An image or result that exceeds a limit: 422.
    static func unprocessable(_ message: String) -> ImgproxyError { ImgproxyError(status: 422, message: message) }

    /// An argument that an option does not take: 404.
    static func argument(_ option: String, _ value: String) -> ImgproxyError {
        notFound("\(printable(option)): invalid value '\(printable(value))'")
    }

    /// Returns at most 64 bytes of `text` with everything but printable ASCII replaced, so that a message fits one line.
    static func printable(_ text: String) -> String {
        let bytes = text.utf8.prefix(64).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
