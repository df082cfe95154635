/// By what HTTP clients differ: each has its own connections, and makes them its own way.
struct ClientKey: Hashable {
    /// A host whose connections go to ``address``, which was looked up and checked before.
    var host: String?
    var address: NetworkAddress?
    /// The proxy that makes the connections.
    var proxy: ProxyAddress?
    /// Whether to be quick in giving up on a connection, because there is another address to try.
    var isQuick = false
}
