import FirnSync

/// Admits a bounded amount of work: work that computes or waits for a core, work that waits for sources, and the work
/// of a client address and of a source host.
///
/// A pure value. Work beyond a limit is rejected at once; nothing is queued outside these counts. Requests for admitted
/// work join it and are not counted.
///
/// A host may have as much work as could be admitted beside it, but always as much as it may have transfers. So one
/// dead host takes at most half of the work, two take at most two thirds, and another host is still admitted (dynamic
/// thresholds, Choudhury and Hahne 1998). The same holds for a client, whose work that computes has a limit of its own.
/// The job table does not know clients, so all work that waits for a source is assumed to be that of the client.
struct AdmissionQueue: Sendable {
    /// A change does not affect admitted work.
    var limits: AdmissionLimits
    /// Admitted work that was not released, by key, with the number of requests that wait for it.
    private var work: [String: (client: String, host: String, requests: Int)] = [:]
    private var clients: [String: Int] = [:]
    private var hosts: [String: Int] = [:]
    /// The number of requests that joined another request's work.
    private(set) var joined = 0
    /// The most work since the memory of much work was last returned to the system.
    private var peak = 0
    /// The least work whose memory is worth returning, about 30 MiB.
    private static let much = 256

    init(limits: AdmissionLimits = AdmissionLimits()) { self.limits = limits }

    /// The amount of admitted work that was not released.
    var count: Int { work.count }
    /// The number of requests that wait for admitted work.
    var requests: Int { work.values.reduce(0) { $0 + $1.requests } }

    /// The most work that is admitted at once.
    private var most: Int { limits.total.saturatingAdd(limits.transfers) }

    /// Admits the work of a request, joins the request to equal work, or rejects it.
    ///
    /// - Parameter computing: the amount of work that computes or waits for a core. Default: all.
    mutating func take(_ key: String, client: String, host: String, computing: Int? = nil) throws(AdmissionError) {
        if work[key] != nil {
            work[key]?.requests += 1
            joined += 1
            return
        }
        guard computing ?? count < limits.total, count < most else { throw .total }
        let (own, waiting) = (clients[client, default: 0], count - min(count, computing ?? count))
        guard own - waiting < limits.perClient, own < max(limits.perClient, most - count) else { throw .client }
        guard hosts[host, default: 0] < max(limits.perHost, most - count) else { throw .source }
        work[key] = (client, host, 1)
        peak = max(peak, count)
        clients[client, default: 0] += 1
        hosts[host, default: 0] += 1
    }

    /// Ends a request for admitted work. Call it once for each request.
    ///
    /// - Returns: true if an eighth of much work is left, whose memory the heap would keep.
    @discardableResult
    mutating func release(_ key: String) -> Bool {
        guard var remaining = work[key] else { return false }
        remaining.requests -= 1
        work[key] = remaining.requests > 0 ? remaining : nil
        guard remaining.requests == 0 else { return false }
        AdmissionQueue.decrement(&clients, remaining.client)
        AdmissionQueue.decrement(&hosts, remaining.host)
        guard peak >= AdmissionQueue.much, count <= peak / 8 else { return false }
        peak = count
        return true
    }

    private static func decrement(_ counts: inout [String: Int], _ key: String) {
        let remaining = counts[key, default: 1] - 1
        counts[key] = remaining > 0 ? remaining : nil
    }
}

/// The limit that rejected the work of a request.
enum AdmissionError: String, Error, Sendable, CaseIterable {
    case total = "too many requests are in work"
    case client = "too many requests of this client are in work"
    case source = "too many requests for this source are in work"

    /// The name of the limit, for metrics.
    var label: String { "\(self)" }
}
