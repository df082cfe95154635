import FirnReport
import FirnSync
import FoundationEssentials
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// The purges that this server knows of, and their exchange with the other servers of a fleet.
///
/// Order: a purge is in the store's log before its response, and a server reports a number only once all of its
/// look-ups use it.
final class Purges: Service {
    private struct State {
        var log = PurgeLog()
        /// The version of the stored log, if the server has all of its records; otherwise `-`.
        var version = "-"
        /// The lowest revision until the fleet's log was read, so that nothing stored is found; otherwise 0.
        var unknown = 0
        var format: StoredResult
        var isFailing = false
        var changed: @Sendable () -> Void = {}
    }

    private let state: Locked<State>
    /// False while no purge changes a key; read without the lock.
    private let isActive: Atomic<Bool>
    /// `nil` for a single server.
    let store: PurgeStore?
    /// The file of the log in the cache folder, whose results outlast the server.
    private let file: String?
    private let localRoot: String
    private let logger: Logger
    private let server = "\(ProcessInfo.processInfo.hostName.filter { $0 != " " })-\(UInt32.random(in: .min ... .max))"
    /// Purges that were requested here.
    let recorded = CoreCounter()

    init(_ settings: ServeSettings, store: PurgeStore?, logger: Logger) {
        (self.store, self.logger, localRoot) = (store, logger, settings.localRoot ?? "")
        file = settings.cacheDirectory.map { "\($0)/purges" }
        var state = State(format: StoredResult(secrets: settings.storeSecrets))
        if let file, let data = try? Data(contentsOf: URL(filePath: file)) {
            state.log = PurgeLog(String(decoding: data, as: UTF8.self)) ?? PurgeLog()
            if state.log.number == 0 {
                // A damaged log says nothing about the results on disk.
                state.log.add("a", now: Purges.now)
                try? Data(state.log.text.utf8).write(to: URL(filePath: file), options: .atomic)
            }
        }
        if store != nil { state.unknown = Purges.now }
        isActive = Atomic(store != nil || state.log.number > 0)
        self.state = Locked(state)
    }

    private static var now: Int { Int(clamping: Duration.sinceEpoch().nanoseconds / 1_000_000) }

    /// Sets the closure to call under the lock after each change, before it is confirmed.
    func whenChanged(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.changed = body } }

    func use(secrets: [[UInt8]]) { state.withLock { $0.format = StoredResult(secrets: secrets) } }

    // MARK: Revisions

    /// Returns a job with the keys that the purges so far leave valid.
    func revised(_ job: ResultJob) -> ResultJob {
        guard isActive.load(ordering: .acquiring) else { return job }
        // Order: a key never has a later purge than its sources.
        let watermark = job.watermark?.source.map { revision(of: $0) } ?? 0
        let result = max(watermark, revision(of: job.source, result: job.name))
        return job.revised(result, source: revision(of: job.source))
    }

    /// Returns the number of the last purge of a source, or of one of its results.
    func revision(of source: SourceReference, result: String? = nil) -> Int {
        guard isActive.load(ordering: .acquiring) else { return 0 }
        let (log, unknown) = state.withLock { ($0.log, $0.unknown) }
        return max(unknown, log.revision(of: name(of: source), result: result))
    }

    /// Returns the address of a source in purges; that of a file is relative to the root and has no version.
    func name(of source: SourceReference) -> String {
        switch source {
        case .file(_, let version): name(ofFile: version.path)
        case .http(let url, _, _), .s3(let url, _): url
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
    func purge(_ target: String) async throws(ServeError) -> JSONValue {
        guard let number = await sync(adding: target) else {
            throw ServeError(503, "the store of the fleet did not record the purge", retryAfter: 1)
        }
        recorded.count()
        logger.notice("purged", metadata: ["number": "\(number)"])
        var servers = [server: number]
        let end = ContinuousClock.now + .seconds(5)
        while let store, store.delay == .zero, !Task.isCancelled, ContinuousClock.now < end {
            let version = state.withLock { $0.version }
            if let found = await store.read(unless: version, by: server, at: number) {
                servers = found.servers.filter { $0.value >= 0 }
                if !servers.contains(where: { $0.value < number && found.live.contains($0.key) }) { break }
            }
            // Sleeps: a confirmation has no message.
            try? await Task.sleep(for: .milliseconds(20))
        }
        let names = Dictionary(grouping: servers.keys.sorted()) { (servers[$0] ?? 0) >= number }
        return [
            "number": number, "confirmed": names[true] ?? [], "missing": names[false] ?? [],
            "delaySeconds": Int(clamping: (store?.delay ?? .zero).components.seconds),
        ]
    }

    // MARK: The store

    /// Applies the store's log, and restores the records that it has lost.
    ///
    /// - Parameter target: the target of a new purge. Default: none.
    /// - Returns: the number of that purge, or of the log; `nil` if the store fails.
    @discardableResult
    func sync(adding target: String? = nil) async -> Int? {
        guard let store else { return apply("-") { if let target { $0.add(target, now: Purges.now) } } }
        // Another server may write between the read and the write.
        for _ in 0..<100 {
            let (own, version, format) = state.withLock { ($0.log, $0.version, $0.format) }
            guard let found = await store.read(unless: version, by: server, at: own.number) else { break }
            // Order: the log only grows, so it has all records of a version that was applied.
            var stored = found.version == version ? own : PurgeLog()
            if let bytes = found.bytes {
                guard let body = format.decode(bytes, key: "purges")?.body, let log = PurgeLog(String(buffer: body))
                else { break }
                stored = log
            }
            var log = stored
            log.restore(own, now: Purges.now)
            if let target { log.add(target, now: Purges.now) }
            if log != stored {
                let record = ServedResult(
                    body: ByteBuffer(string: log.text), mediaType: "text/plain", entityTag: "-", made: 0)
                let bytes = format.encode(record, key: "purges")
                guard let isReplaced = await store.replace(found.version, by: bytes) else { break }
                guard isReplaced else { continue }
            }
            note(isFailing: false)
            apply(log == stored && store.redis != nil ? found.version : "-") { $0.merge(log) }
            return log.number
        }
        note(isFailing: true)
        return nil
    }

    /// Changes the log and returns its number.
    @discardableResult
    private func apply(_ version: String, _ change: (inout PurgeLog) -> Void) -> Int {
        let (isChanged, log) = state.withLock { state in
            let former = state.unknown > 0 ? nil : state.log
            change(&state.log)
            (state.version, state.unknown) = (version, 0)
            isActive.store(state.log.number > 0, ordering: .releasing)
            if state.log != former { state.changed() }
            return (state.log != former, state.log)
        }
        if isChanged, log.number > 0, let file {
            do { try Data(log.text.utf8).write(to: URL(filePath: file), options: .atomic) } catch {
                logger.warning("cache: purges are not kept on disk; they end with this server")
            }
        }
        return log.number
    }

    private func note(isFailing: Bool) {
        guard !Task.isCancelled, state.withLock({ exchange(&$0.isFailing, with: isFailing) != isFailing }) else {
            return
        }
        logger.log(
            level: isFailing ? .warning : .notice,
            isFailing ? "purges are not exchanged: the store fails or has other keys" : "purges are exchanged again")
    }

    /// Follows the store's log until the shutdown: at each message, and each second.
    func run() async throws {
        guard let store else { return }
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                await store.listening { signal in
                    // Order: read after subscribing, so that no message is missed.
                    let former = state.withLock { $0.log.number }
                    // The second read confirms what the first one found.
                    if let number = await sync(), number != former { await sync() }
                    await signal.wait(atMost: .seconds(1))
                }
            }
        }
        _ = await store.read(unless: "-", by: server, at: -1)
    }
}
