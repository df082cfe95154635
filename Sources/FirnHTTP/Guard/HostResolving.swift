package import FirnData

/// Finds the addresses of hosts.
package protocol HostResolving: Sendable {
    /// Looks a name up; returns at once, and answers exactly once, on any thread, possibly before it returns.
    ///
    /// - Parameter answer: gets the addresses, the best first, or why there are none.
    func resolve(_ host: String, answer: @escaping @Sendable (Result<[NetworkAddress], DataLoadingError>) -> Void)
}
