import FirnSync
import FoundationEssentials
import NIOCore

/// Results that several servers share. Each is looked up in the stores, and made by one server if it is missing.
///
/// If a store fails or is slow, the result is made here; no response fails.
final class FleetResults: Sendable {
    /// The interval at which waiting tasks check the stores, since messages may be lost.
    private static let pollTime = Duration.milliseconds(250)
    /// The maximum wait for a result that another server makes.
    private let patience: Duration
    private let redis: RedisResults?
    private let objects: S3ResultStore?
    private let format: Locked<StoredResult>
    private let waits = Locked(0)

    /// - Parameters:
    ///   - secrets: the secrets of stored results; see ``StoredResult``.
    ///   - patience: the maximum wait for a result that another server makes.
    init(redis: RedisResults?, objects: S3ResultStore?, secrets: [[UInt8]], patience: Duration) {
        self.redis = redis
        self.objects = objects
        self.patience = patience
        format = Locked(StoredResult(secrets: secrets))
    }

    deinit { redis?.stop() }

    /// The number of results that another server made while this one waited.
    var waited: Int { waits.withLock { $0 } }
    /// The number of Redis commands without a usable reply, by cause.
    var faults: [RedisFault: Int] { redis?.faults ?? [:] }

    /// Uses other secrets for later results.
    func use(secrets: [[UInt8]]) { format.withLock { $0 = StoredResult(secrets: secrets) } }

    /// Returns a result from a store, from another server, or made now.
    ///
    /// - Parameters:
    ///   - lifetime: how long stores keep it.
    ///   - isServed: whether a stored result may be served.
    ///   - make: makes the result. Its error is thrown, and other servers may then try.
    func result(
        for key: String, lifetime: Duration, isServed: @Sendable (ServedResult) -> Bool,
        _ make: @Sendable () async throws(ServeError) -> ServedResult
    ) async throws(ServeError) -> (result: ServedResult, isStored: Bool) {
        if let result = await stored(key), isServed(result) { return (result, true) }
        let (stored, token) = await turn(key, isServed)
        if let stored { return (stored, true) }
        let result: ServedResult
        let renewal = token.map { prolonging(key, token: $0) }
        defer { renewal?.cancel() }
        do throws(ServeError) {
            result = try await make()
        } catch {
            if let token { await redis?.finish(key, token: token, bytes: nil, lifetime: lifetime) }
            throw error
        }
        if result.mayKeep {
            await store(result, for: key, token: token, lifetime: lifetime)
        } else if let token {
            await redis?.finish(key, token: token, bytes: nil, lifetime: lifetime)
        }
        return (result, false)
    }

    /// Renews a lease until the task is cancelled.
    private func prolonging(_ key: String, token: String) -> Task<Void, Never> {
        Task { [redis] in
            guard let redis else { return }
            while true {
                do { try await Task.sleep(for: redis.leaseTime / 3) } catch { return }
                await redis.prolong(key, token: token)
            }
        }
    }

    // MARK: Failures of sources

    /// The maximum time for which a failure is stored, in seconds.
    private static let longestFailure = 60

    /// Returns the recent failure of a source on another server.
    ///
    /// - Parameter now: the seconds since 1970.
    func failure(of source: String, now: Int) async -> ServeError? {
        let key = FleetResults.failureKey(source)
        guard let bytes = await redis?.bytes(for: key),
            let record = format.withLock({ $0 }).decode(bytes, key: key), let status = Int(record.entityTag)
        else { return nil }
        // Clocks of servers differ.
        let (remaining, isOver) = record.made.subtractingReportingOverflow(now)
        guard !isOver, (1...FleetResults.longestFailure).contains(remaining), (400...599).contains(status) else {
            return nil
        }
        return ServeError(status, String(buffer: record.body), retryAfter: remaining)
    }

    /// Stores a failure of a source that states a time for a retry. A bucket stores none, because its objects do not
    /// expire.
    func keep(_ failure: ServeError, of source: String, now: Int) async {
        guard let redis, let time = failure.retryAfter else { return }
        let (remaining, key) = (min(time, FleetResults.longestFailure), FleetResults.failureKey(source))
        let record = ServedResult(
            body: ByteBuffer(string: failure.message), mediaType: "text/plain", entityTag: "\(failure.status)",
            made: now + remaining)
        let bytes = format.withLock { $0 }.encode(record, key: key)
        await redis.finish(key, bytes: bytes, lifetime: .seconds(remaining))
    }

    private static func failureKey(_ source: String) -> String {
        HexadecimalDigest.text(of: Data("failure\n\(source)".utf8))
    }

    /// - Parameter token: the lease to release after storing. Default: `nil`.
    func store(_ result: ServedResult, for key: String, token: String? = nil, lifetime: Duration) async {
        let bytes = format.withLock { $0 }.encode(result, key: key)
        if let redis, bytes.readableBytes <= RedisResults.maximumBytes {
            await redis.finish(key, token: token ?? "", bytes: bytes, lifetime: lifetime)
            if let objects { Task { await objects.store(bytes, for: key) } }
        } else {
            Task { [redis, objects] in
                // Order: stored before the lease ends, which is when waiting servers look for it.
                await objects?.store(bytes, for: key)
                if let token { await redis?.finish(key, token: token, bytes: nil, lifetime: lifetime) }
            }
        }
    }

    private func stored(_ key: String) async -> ServedResult? {
        let format = format.withLock { $0 }
        if let bytes = await redis?.bytes(for: key), let result = format.decode(bytes, key: key) { return result }
        return await objects?.bytes(for: key).flatMap { format.decode($0, key: key) }
    }

    // MARK: Turns

    /// A stored result, or the token of this server's lease.
    private typealias Turn = (stored: ServedResult?, token: String?)

    /// Takes the lease of a result, or waits until another server has made it or has given up.
    private func turn(_ key: String, _ isServed: @Sendable (ServedResult) -> Bool) async -> Turn {
        guard let redis else { return (nil, nil) }
        if let turn = await ask(redis, key, isServed) { return turn }
        waits.withLock { $0 += 1 }
        let end = ContinuousClock.now + patience
        return await redis.listening(to: key) { signal in
            // Order: looked up after subscribing, so that no message is missed.
            while !Task.isCancelled, ContinuousClock.now < end {
                if let result = await stored(key), isServed(result) { return (result, nil) }
                if let turn = await ask(redis, key, isServed) { return turn }
                await signal.wait(atMost: FleetResults.pollTime)
            }
            return (nil, nil)
        }
    }

    /// Requests the lease; `nil` if another server has it.
    private func ask(
        _ redis: RedisResults, _ key: String, _ isServed: @Sendable (ServedResult) -> Bool
    ) async -> Turn? {
        switch await redis.lease(key) {
        case .held: return nil
        case .unavailable: return (nil, nil)
        case .granted(let token):
            // The previous server may have released its lease just after the look-up.
            guard let result = await stored(key), isServed(result) else { return (nil, token) }
            await redis.finish(key, token: token, bytes: nil, lifetime: .seconds(1))
            return (result, nil)
        }
    }
}
