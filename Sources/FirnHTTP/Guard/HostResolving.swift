package import FirnData

/// Finds the addresses of hosts.
package protocol HostResolving: Sendable {
    /// Looks a name up. Returns at once, and calls `answer` exactly once, on any thread, possibly before it returns.
    ///
    /// - Parameter answer: called with the addresses, best first, or the error.
    func resolve(_ host: String, answer: @escaping @Sendable (Result<[NetworkAddress], DataLoadingError>) -> Void)
}
