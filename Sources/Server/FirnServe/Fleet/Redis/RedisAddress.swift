/// The address of Redis: `redis://[[user]:password@]host[:port][,host[:port]…][/database]`, or `rediss://` with TLS.
///
/// Several hosts are nodes of one cluster.
struct RedisAddress: Sendable, Equatable {
    struct Node: Sendable, Hashable {
        let host: String
        let port: Int
    }

    let nodes: [Node]
    let isSecure: Bool
    private(set) var user = "default"
    private(set) var password = ""
    private(set) var database = 0

    /// - Throws: the mistake, without the password.
    init(_ text: String) throws(ConfigurationError) {
        isSecure = text.hasPrefix("rediss://")
        guard isSecure || text.hasPrefix("redis://") else {
            throw ConfigurationError("is no address like redis://host:6379")
        }
        var rest = text.dropFirst(isSecure ? 9 : 8)
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = RedisAddress.decoded(parts[0]),
                let secret = RedisAddress.decoded(parts[1])
            else { throw ConfigurationError("has a user without a password, or an odd one") }
            if !name.isEmpty { user = name }
            password = secret
            rest = rest[rest.index(after: at)...]
        }
        if let slash = rest.firstIndex(of: "/") {
            let digits = rest[rest.index(after: slash)...]
            guard let number = digits.isEmpty ? 0 : Int(digits), (0...1_000_000).contains(number) else {
                throw ConfigurationError("has a database that is no number")
            }
            database = number
            rest = rest[..<slash]
        }
        let hosts = rest.split(separator: ",", omittingEmptySubsequences: false)
        nodes = try hosts.map { host throws(ConfigurationError) in
            guard !host.isEmpty, let node = Node(host, defaultPort: 6379), !node.host.isEmpty else {
                throw ConfigurationError("has a host or port that is none")
            }
            return node
        }
        guard nodes.count == 1 || database == 0 else {
            throw ConfigurationError("has a database, which a cluster has not")
        }
    }

    /// Decodes `%XX`; `nil` if an escape is malformed.
    private static func decoded(_ text: Substring) -> String? {
        PercentEncoding.strictlyDecoded(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
}

extension RedisAddress.Node {
    /// Returns the node, on the host that sent it if it has no host of its own.
    func known(from sender: Self) -> Self { host.isEmpty || host == "?" ? Self(host: sender.host, port: port) : self }

    /// Parses `host:port`; brackets around IPv6 addresses are optional.
    init?(_ text: some StringProtocol, defaultPort: Int? = nil) {
        let colon = text.hasSuffix("]") ? nil : text.lastIndex(of: ":")
        let host = colon.map { String(text[..<$0]) } ?? String(text)
        let port = colon.map { Int(text[text.index(after: $0)...]) } ?? defaultPort
        guard let port, (1...65_535).contains(port),
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        else { return nil }
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        self.port = port
    }
}
