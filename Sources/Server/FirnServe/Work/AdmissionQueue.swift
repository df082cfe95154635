/// Decides which work is taken: a bounded number in all, from one client address, and from one source host.
///
/// A value without effects. Work that is not taken is refused at once; it never waits outside of this count.
package struct AdmissionQueue: Sendable {
    /// The most work at once, running and waiting.
    package struct Limits: Sendable, Equatable {
        /// In all. Default: 128.
        package var total = 128
        /// For one client address. Default: 64.
        package var perClient = 64
        /// For one source host, so that a slow host cannot fill the queue. Default: 48.
        package var perHost = 48

        package init() {}
    }

    /// Work that was taken, until it is released.
    package struct Ticket: Sendable, Hashable {
        let client: String
        let host: String
    }

    /// Why work was refused.
    package enum Refusal: String, Error, Sendable, CaseIterable {
        case total = "too many requests are in work"
        case client = "too many requests of this client are in work"
        case host = "too many requests for this source are in work"

        /// The name of the limit, for metrics.
        var label: String {
            switch self {
            case .total: "total"
            case .client: "client"
            case .host: "source"
            }
        }
    }

    /// Work that was taken before a change stays.
    var limits: Limits
    /// The work that was taken and not released.
    package private(set) var count = 0
    private var clients: [String: Int] = [:]
    private var hosts: [String: Int] = [:]

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes work, or refuses it.
    package mutating func take(client: String, host: String) throws(Refusal) -> Ticket {
        guard count < limits.total else { throw .total }
        guard clients[client, default: 0] < limits.perClient else { throw .client }
        guard hosts[host, default: 0] < limits.perHost else { throw .host }
        count += 1
        clients[client, default: 0] += 1
        hosts[host, default: 0] += 1
        return Ticket(client: client, host: host)
    }

    /// Releases work that was taken. Call it once for each ticket.
    package mutating func release(_ ticket: Ticket) {
        guard count > 0 else { return }
        count -= 1
        AdmissionQueue.decrement(&clients, ticket.client)
        AdmissionQueue.decrement(&hosts, ticket.host)
    }

    private static func decrement(_ counts: inout [String: Int], _ key: String) {
        let left = counts[key, default: 1] - 1
        counts[key] = left > 0 ? left : nil
    }
}
