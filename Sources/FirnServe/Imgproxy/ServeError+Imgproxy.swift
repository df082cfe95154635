// Errors of imgproxy's language. They name the option and the value that were refused.
extension ServeError {
    /// A request that cannot be parsed or is not allowed: 404.
    static func notFound(_ message: String) -> ServeError { ServeError(404, message) }

    /// A missing right: 403.
    static func forbidden(_ message: String) -> ServeError { ServeError(403, message) }

    /// An image or result that exceeds a limit: 422.
    static func unprocessable(_ message: String) -> ServeError { ServeError(422, message) }

    /// An argument that an option does not take: 404.
    static func argument(_ option: String, _ value: String) -> ServeError {
        notFound("\(printable(option.utf8)): invalid value '\(printable(value.utf8))'")
    }
}
