import FirnData

/// The clients that were used lately. One that leaves lives until its last request is over.
///
/// Most loaders have one client for everything. There are more where names are looked up by the loader, one for each
/// address that a connection was made to, or where proxies are used.
struct ClientPool {
    /// How many clients keep their idle connections: as many hosts as a page of images has, and more.
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

    /// The client for a key.
    ///
    /// - Throws: as making one does.
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
