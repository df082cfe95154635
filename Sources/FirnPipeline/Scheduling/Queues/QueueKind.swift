/// What waits to be started. In the order of preference among equally urgent jobs: what is nearest to a picture first.
enum QueueKind: Int, CaseIterable, Sendable {
    case process, decode, read
    /// Paused transfers.
    case resuming
    /// Transfers from a host.
    case network
    /// Transfers that need no network.
    case local
    case store

    static let count = 7

    /// What passes over older jobs is counted by: jobs of one group are started in place of each other.
    var group: Int {
        switch self {
        case .process, .decode: 0
        case .read: 1
        case .resuming, .network, .local: 2
        case .store: 3
        }
    }

    static let groups = 4
    static let transfers: [QueueKind] = [.resuming, .network, .local]
}
