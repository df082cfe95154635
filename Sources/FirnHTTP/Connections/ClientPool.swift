import FirnData

/// The recently used clients. A dropped client lives until its last request ends.
///
/// Most loaders have one client. There are more if the loader looks names up, one for each address, or if proxies are
/// used.
struct ClientPool {
    /// Maximum number of clients with idle connections: more hosts than a page of images has.
    static let limit = 64

    private let settings: LoaderConfiguration
    private let registry: ConnectionRegistry
    private var plain: PooledClient?
    private var others: [ClientKey: (client: PooledClient, use: UInt64)] = [:]
    private var uses: UInt64 = 0

    init(_ settings: LoaderConfiguration, _ registry: ConnectionRegistry) {
        self.settings = settings
        self.registry = registry
    }

    /// Returns the client of a key, and creates it if needed.
    ///
    /// - Throws: the error of its creation.
    mutating func client(_ key: ClientKey) throws(DataLoadingError) -> PooledClient {
        if key == ClientKey() {
            if let plain { return plain }
            let client = try PooledClient(key, settings, registry)
            plain = client
            return client
        }
        uses &+= 1
        if let client = others[key]?.client {
            others[key]?.use = uses
            return client
        }
        let client = try PooledClient(key, settings, registry)
        others[key] = (client, uses)
        if others.count > ClientPool.limit, let oldest = others.min(by: { $0.value.use < $1.value.use })?.key {
            others[oldest] = nil
        }
        return client
    }
}
