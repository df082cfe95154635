import FirnSync
import FirnSystem

/// Resolves hosts with the system's `getaddrinfo`, on threads that may block.
package struct SystemResolver: HostResolving {
    /// Separate threads, so that unresponsive name servers delay nothing else.
    private static let threads = WorkerQueue(count: 16)

    /// Looks a name up as configured on the machine: hosts file, then name servers.
    package func resolve(
        _ host: String, answer: @escaping @Sendable (Result<[NetworkAddress], DataLoadingError>) -> Void
    ) {
        SystemResolver.threads.run {
            answer(SystemResolver.addresses(of: host))
        } refused: {
            answer(.failure(DataLoadingError(.connection, "cannot look up \(host): \(ThreadShortage())")))
        }
    }

    private static func addresses(of host: String) -> Result<[NetworkAddress], DataLoadingError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else {
            let words = code == EAI_NONAME ? "" : ": \(String(cString: gai_strerror(code)).lowercased())"
            return .failure(DataLoadingError(.connection, "unknown host \(host)\(words)"))
        }
        var found: [NetworkAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            if let address = NetworkAddress(entry.ai_addr), !found.contains(address) { found.append(address) }
        }
        guard !found.isEmpty else { return .failure(DataLoadingError(.connection, "unknown host \(host)")) }
        return .success(found)
    }
}

package protocol HostResolving: Sendable {
    /// Looks a name up. Returns at once, and calls `answer` exactly once, on any thread, possibly before it returns.
    ///
    /// - Parameter answer: called with the addresses, best first, or the error.
    func resolve(_ host: String, answer: @escaping @Sendable (Result<[NetworkAddress], DataLoadingError>) -> Void)
}
