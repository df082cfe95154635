/// The HTTP statuses of failures.
package enum ImgproxyStatus {
    /// A signature, a security option or a missing authorization.
    package static let forbidden = 403
    /// A path that cannot be parsed, or a source that is not allowed or not reachable.
    package static let notFound = 404
    /// A source that is broken, unsupported or too large, or a format that cannot be written.
    package static let unprocessable = 422
    /// The queue is full.
    package static let tooManyRequests = 429
    /// The client is gone.
    package static let clientClosed = 499
    /// Other failures.
    package static let internalError = 500
    /// The source failed.
    package static let badGateway = 502
    /// The work took too long.
    package static let unavailable = 503
    /// The source did not answer in time.
    package static let gatewayTimeout = 504

    /// Returns the status for a failure status of the source: 4xx stays, others become 502.
    package static func forSource(_ status: Int) -> Int { (400...499).contains(status) ? status : badGateway }
}
