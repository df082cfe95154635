/// The kinds of queued jobs. Among jobs of the same level, kinds that are closer to the image start first, in this
/// order.
enum QueueKind: Int, CaseIterable, Sendable {
    case process, decode, read, preview
    /// Paused transfers.
    case resuming
    /// Transfers from a host.
    case network
    /// Transfers that need no network.
    case local
    case store

    static let count = 8

    /// The group for counting passed jobs. Jobs of a group share limits.
    var group: Int {
        switch self {
        case .process, .decode: 0
        case .read: 1
        case .resuming, .network, .local: 2
        case .store: 3
        case .preview: 4
        }
    }

    static let groups = 5
    static let transfers: [QueueKind] = [.resuming, .network, .local]
}
