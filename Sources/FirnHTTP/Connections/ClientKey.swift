/// The properties by which HTTP clients differ. Each client has its own connections.
struct ClientKey: Hashable {
    /// A host whose connections go to ``address``, which was resolved and checked before.
    var host: String?
    var address: NetworkAddress?
    /// The proxy of the connections.
    var proxy: ProxyAddress?
    /// Whether the time limit for connecting is short, because another address is available.
    var isQuick = false
}
