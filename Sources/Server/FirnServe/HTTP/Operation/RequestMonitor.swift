import FirnSync
import HTTPTypes
import Logging
import Synchronization

/// Tracks requests: counts and logs each, and keeps the running ones and the last errors.
final class RequestMonitor: Sendable {
    /// A request without a response.
    struct Running: Sendable {
        let language: RequestLanguage
        let note: Locked<RequestNote>
        let start: ContinuousClock.Instant
    }

    private struct State {
        var last: UInt64 = 0
        var running: [UInt64: Running] = [:]
        var failures: [(request: Running, end: ContinuousClock.Instant)] = []
    }

    static let maximumFailures = 50

    let metrics: ServeMetrics
    /// The start time of the server.
    let started = ContinuousClock.now
    private let logger: Logger
    private let state = Locked(State())
    private let draining = Atomic(false)

    init(_ metrics: ServeMetrics, _ logger: Logger) {
        self.metrics = metrics
        self.logger = logger
    }

    /// True during a shutdown. The server still responds to requests, and asks clients to close their connections.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func drain() { draining.store(true, ordering: .relaxed) }

    /// The requests without a response, oldest first.
    var running: [Running] { state.withLock { $0.running }.sorted { $0.key < $1.key }.map(\.value) }
    /// The last failures, newest first.
    var failures: [(request: Running, end: ContinuousClock.Instant)] { state.withLock { $0.failures }.reversed() }

    func begin(_ language: RequestLanguage, _ note: Locked<RequestNote>) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.running[state.last] = Running(language: language, note: note, start: .now)
            return state.last
        }
    }

    func end(_ number: UInt64, status: Int, bytes: Int) {
        let now = ContinuousClock.now
        let running = state.withLock { state -> Running? in
            guard let running = state.running.removeValue(forKey: number) else { return nil }
            if running.note.withLock({ $0.error }) != nil {
                if state.failures.count >= RequestMonitor.maximumFailures { state.failures.removeFirst() }
                state.failures.append((running, now))
            }
            return running
        }
        if let running { count(running, status, bytes, now - running.start) }
    }

    /// Reports a request that was served from memory on arrival, with status 200.
    func responded(
        _ language: RequestLanguage, source: String?, name: String, bytes: Int, start: ContinuousClock.Instant
    ) {
        let time = ContinuousClock.now - start
        guard logger.logLevel <= .info else { return metrics.count(language, status: 200, bytes: bytes, time: time) }
        let note = Locked(RequestNote(name: name, address: source))
        count(Running(language: language, note: note, start: start), 200, bytes, time)
    }

    private func count(_ running: Running, _ status: Int, _ bytes: Int, _ time: Duration) {
        metrics.count(running.language, status: status, bytes: bytes, time: time)
        let level: Logger.Level = status >= 500 && status != 503 && status != 504 ? .warning : .info
        // Load balancers request /health every few seconds.
        logger.log(
            level: running.language == .health ? .debug : level, "request",
            metadata: metadata(running, status, bytes, time))
    }

    private func metadata(_ running: Running, _ status: Int, _ bytes: Int, _ time: Duration) -> Logger.Metadata {
        let note = running.note.withLock { $0 }
        let fields: [String: (any CustomStringConvertible & Sendable)?] = [
            "language": running.language.rawValue, "status": status, "bytes": bytes,
            "milliseconds": (time / .microseconds(100)).rounded() / 10, "id": note.name, "source": note.source,
            "error": note.error?.message,
        ]
        return fields.compactMapValues { $0.map { .stringConvertible($0) } }
    }
}

/// The kind of a request in metrics and logs.
enum RequestLanguage: String, Sendable, CaseIterable {
    case health, iiif, page, information, placeholder, imgproxy

    /// - Parameter prefix: the path prefix of imgproxy's language.
    init(target: String, prefix: String) {
        self =
            switch true {
            case target == "/health": .health
            case IIIFVersion(target: target) != nil: .iiif
            case target.hasPrefix("/view/"), target.hasPrefix("/view-assets/"): .page
            case target.hasPrefix(prefix + "/info/"): .information
            case target.hasPrefix(prefix + "/blurhash/"), target.hasPrefix(prefix + "/thumbhash/"): .placeholder
            default: .imgproxy
            }
    }
}

/// Facts about a running request, for logs and the status page.
struct RequestNote: Sendable {
    /// The ID of the request, which its response repeats.
    var name: String?
    /// The address of the source as requested; `nil` before the signature was checked.
    var address: String?
    var error: ServeError?
    /// The source of the result that is sent.
    var result: SourceReference?
    /// The condition under which a later request gets the same response; `nil` if the response is for this request
    /// only.
    var condition: ResponseCondition?

    /// The source for display, without the query, which may contain secrets.
    var source: String? { address.map { SourceReference.shown($0) } }

}

/// Request IDs for the field X-Request-ID and logs: the client's, or a unique one.
final class RequestNames: Sendable {
    /// The prefix of this server's IDs.
    private let server = String((0..<8).compactMap { _ in "0123456789abcdefghijklmnopqrstuvwxyz".randomElement() })
    private let numbers = CoreCounter()

    /// Returns a new ID.
    func next() -> String { server + String(UInt(bitPattern: numbers.next()), radix: 36) }

    /// Returns the ID that the client sent, if it consists of letters, digits, `-` and `_`, or a new one.
    func name(of head: HTTPRequest) -> String {
        guard let given = head.headerFields[.requestName], (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) && !".~".utf8.contains($0) })
        else { return next() }
        return given
    }
}

extension HTTPField.Name {
    /// The field of the request ID.
    static let requestName = HTTPField.Name("X-Request-ID") ?? .server
}
