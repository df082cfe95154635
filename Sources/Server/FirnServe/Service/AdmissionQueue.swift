/// Admits a bounded amount of work: in total, per client address and per source host.
///
/// A pure value. Work beyond a limit is rejected at once; nothing is queued outside these counts. Requests for admitted
/// work join it and are not counted.
struct AdmissionQueue: Sendable {
    /// A change does not affect admitted work.
    var limits: AdmissionLimits
    /// Admitted work that was not released, by key, with the number of requests that wait for it.
    private var work: [String: (client: String, host: String, requests: Int)] = [:]
    private var clients: [String: Int] = [:]
    private var hosts: [String: Int] = [:]
    /// The number of requests that joined another request's work.
    private(set) var joined = 0

    init(limits: AdmissionLimits = AdmissionLimits()) { self.limits = limits }

    /// The amount of admitted work that was not released.
    var count: Int { work.count }
    /// The number of requests that wait for admitted work.
    var requests: Int { work.values.reduce(0) { $0 + $1.requests } }

    /// Admits the work of a request, joins the request to equal work, or rejects it.
    mutating func take(_ key: String, client: String, host: String) throws(AdmissionError) {
        if work[key] != nil {
            work[key]?.requests += 1
            joined += 1
            return
        }
        guard count < limits.total else { throw .total }
        guard clients[client, default: 0] < limits.perClient else { throw .client }
        guard hosts[host, default: 0] < limits.perHost else { throw .host }
        work[key] = (client, host, 1)
        clients[client, default: 0] += 1
        hosts[host, default: 0] += 1
    }

    /// Ends a request for admitted work. Call it once for each request.
    mutating func release(_ key: String) {
        guard var remaining = work[key] else { return }
        remaining.requests -= 1
        work[key] = remaining.requests > 0 ? remaining : nil
        guard remaining.requests == 0 else { return }
        AdmissionQueue.decrement(&clients, remaining.client)
        AdmissionQueue.decrement(&hosts, remaining.host)
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
