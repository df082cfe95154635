import Firn
import FirnReport
import FirnSync
import FoundationEssentials
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The purges that this server knows of, and their exchange with the other servers of a fleet.
///
/// Order: a purge is in the store's log before it is answered, and a server reports a number only once all of its
/// look-ups use it.
final class Purges: Sendable {
    private struct State {
        var log = PurgeLog()
        /// The number up to which all look-ups use the log.
        var applied = 0
        /// The version of the stored log, if the server has all of its records.
        var version: String?
        /// The lowest revision until the fleet's log was read, so that nothing stored is found; otherwise 0.
        var unknown = 0
        var format: StoredResult
        var isFailing = false
        var changed: @Sendable () -> Void = {}
    }

    private let state: Locked<State>
    /// False while no record changes a key; read without the lock.
    private let isActive: Atomic<Bool>
    private let store: (any PurgeStore)?
    /// The file of the log in the cache folder, whose results outlast the server.
    private let file: String?
    private let localRoot: String
    private let logger: Logger
    /// The name of this server in answers.
    let server = "\(ServeError.printable(ProcessInfo.processInfo.hostName.utf8))-\(UInt32.random(in: .min ... .max))"
    /// Purges that were requested here.
    let recorded = CoreCounter()
    private static let interval = Duration.seconds(1)
    /// The maximum wait for other servers, and the age in seconds from which a server is not waited for.
    private static let (patience, silence) = (Duration.seconds(5), 3)

    init(_ settings: ServeSettings, store: (any PurgeStore)?, logger: Logger) {
        self.store = store
        self.logger = logger
        file = settings.cacheDirectory.map { "\($0)/purges" }
        localRoot = settings.localRoot ?? ""
        var state = State(format: StoredResult(secrets: settings.storeSecrets))
        if let file, let data = try? Data(contentsOf: URL(filePath: file)) {
            state.log = PurgeLog(String(decoding: data, as: UTF8.self)) ?? state.log
            // A damaged log says nothing about the results on disk.
            if state.log.number == 0 { state.log.add(.all, now: Purges.now) }
        }
        if store != nil { state.unknown = Purges.now }
        isActive = Atomic(state.unknown + state.log.number > 0)
        self.state = Locked(state)
    }

    private static var now: Int { Int(clamping: Duration.sinceEpoch().nanoseconds / 1_000_000) }

    /// Sets the closure to call after each change of the log, before it is confirmed.
    func whenChanged(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.changed = body } }

    func use(secrets: [[UInt8]]) { state.withLock { $0.format = StoredResult(secrets: secrets) } }

    // MARK: Revisions

    /// Returns a job with the keys that the purges so far leave valid.
    func revised(_ job: ResultJob) -> ResultJob {
        guard isActive.load(ordering: .acquiring) else { return job }
        let (log, unknown) = state.withLock { ($0.log, $0.unknown) }
        let source = name(of: job.source)
        return job.revised(
            max(unknown, log.revision(of: source, result: job.name)), source: max(unknown, log.revision(of: source)))
    }

    func revision(of source: SourceReference) -> Int {
        guard isActive.load(ordering: .acquiring) else { return 0 }
        let (log, unknown) = state.withLock { ($0.log, $0.unknown) }
        return max(unknown, log.revision(of: name(of: source)))
    }

    /// Returns the address of a source in purges; that of a file is relative to the root, and has no version.
    func name(of source: SourceReference) -> String {
        switch source {
        case .file(_, let version): name(ofFile: version.path)
        case .http(let url, _), .s3(let url, _): url
        }
    }

    func name(ofFile path: String) -> String {
        "local://" + (path.hasPrefix(localRoot) ? String(path.dropFirst(localRoot.count)) : path)
    }

    // MARK: Purging

    /// Purges, and waits until all live servers have confirmed it, 5 seconds at most.
    ///
    /// - Returns: the number, the servers that confirmed it and those that did not, and the delay of others.
    /// - Throws: status 503 if the store does not take the record.
    func purge(_ target: PurgeTarget) async throws(ServeError) -> JSONValue.Fields {
        guard let number = await sync(adding: target) else {
            throw ServeError(503, "the store of the fleet did not record the purge", retryAfter: 1)
        }
        recorded.count()
        logger.notice("purged", metadata: ["number": "\(number)"])
        var servers = [(name: server, number: number, age: 0)]
        let end = ContinuousClock.now + Purges.patience
        while let store, store.delay == .zero, !Task.isCancelled {
            let version = state.withLock { $0.version }
            servers = await store.read(unless: version, by: server, at: number)?.servers ?? servers
            let isWaiting = servers.contains { $0.number < number && $0.age <= Purges.silence }
            guard isWaiting, ContinuousClock.now < end else { break }
            // Sleeps: a confirmation has no message.
            try? await Task.sleep(for: .milliseconds(20))
        }
        return JSONValue.fields([
            "number": number,
            "confirmed": JSONValue.array(servers.filter { $0.number >= number }.map { .string($0.name) }),
            "missing": JSONValue.array(servers.filter { $0.number < number }.map { .string($0.name) }),
            "delaySeconds": Int(clamping: (store?.delay ?? .zero).components.seconds),
        ])
    }

    // MARK: The store

    /// Applies the store's log, and restores the records that it has lost.
    ///
    /// - Parameter target: the target of a new purge. Default: none.
    /// - Returns: the number of that purge, or of the log; `nil` if the store fails.
    @discardableResult
    func sync(adding target: PurgeTarget? = nil) async -> Int? {
        guard let store else {
            return apply { log in target.map { log.add($0, now: Purges.now) } ?? log.number }
        }
        for _ in 0..<32 {
            let (own, applied, version, format) = state.withLock { ($0.log, $0.applied, $0.version, $0.format) }
            guard let found = await store.read(unless: version, by: server, at: applied) else { return note(true) }
            // Order: the log only grows, so it has all records of a version that was applied.
            var stored = found.version == version ? own : PurgeLog()
            if found.version != version, !found.version.isEmpty {
                guard let text = found.bytes.flatMap({ format.decode($0, key: Purges.key) }),
                    let log = PurgeLog(String(buffer: text.body))
                else { return note(true) }
                stored = log
            }
            var log = stored
            log.merge(own)
            let number = target.map { log.add($0, now: Purges.now) } ?? log.number
            var current = found.version
            if log != stored {
                let record = ServedResult(
                    body: ByteBuffer(string: log.text), mediaType: "text/plain", entityTag: "\(number)", made: 0)
                let bytes = format.encode(record, key: Purges.key)
                guard let replaced = await store.replace(current, by: bytes) else { return note(true) }
                // Another server was faster.
                guard !replaced.isEmpty else { continue }
                current = replaced
            }
            note(false)
            return apply(version: current) { [log] in
                $0.merge(log)
                return number
            }
        }
        return nil
    }

    private static let key = "purges"

    /// Changes the log and returns what `change` returns.
    private func apply(version: String? = nil, _ change: (inout PurgeLog) -> Int) -> Int {
        let (number, former, log, changed) = state.withLock { state in
            let former = state.unknown > 0 ? nil : state.log
            let number = change(&state.log)
            (state.version, state.unknown) = (version, 0)
            isActive.store(state.log.number > 0, ordering: .releasing)
            return (number, former, state.log, state.changed)
        }
        guard log != former else { return number }
        changed()
        state.withLock { $0.applied = max($0.applied, log.number) }
        guard let file, log.number > 0 else { return number }
        do {
            try Data(log.text.utf8).write(to: URL(filePath: file), options: .atomic)
        } catch {
            logger.warning("cache: purges are not kept on disk; they end with this server")
        }
        return number
    }

    /// Logs if the store starts to fail or works again.
    @discardableResult
    private func note(_ isFailing: Bool) -> Int? {
        guard !Task.isCancelled, state.withLock({ exchange(&$0.isFailing, with: isFailing) != isFailing }) else {
            return nil
        }
        if isFailing {
            logger.warning("purges are not exchanged: the store fails, or its log is damaged or of other keys")
        } else {
            logger.notice("purges are exchanged again")
        }
        return nil
    }
}

extension Purges: Service {
    /// True if there are other servers to exchange purges with.
    var isShared: Bool { store != nil }

    /// Follows the store's log until the shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled, let store {
                await store.listening { signal in
                    // Order: read after subscribing, so that no message is missed.
                    let former = state.withLock { $0.log.number }
                    // The second read confirms what the first one found.
                    if await sync() != former { await sync() }
                    await signal.wait(atMost: Purges.interval)
                }
            }
        }
        await store?.remove(server)
    }
}
