import FirnSync
import NIOCore

/// Returns the received bytes of work in progress, or `nil` while it computes, which is progress.
typealias WorkProgress = Locked<@Sendable () -> Int?>

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

    /// A result, and whether it comes from a store.
    typealias Found = (result: ServedResult, isStored: Bool)

    /// Returns a result from a store, from another server, or made now.
    ///
    /// - Parameters:
    ///   - lifetime: how long stores keep it.
    ///   - progress: returns the progress of `make`. Default: it makes progress all the time.
    ///   - isServed: whether a stored result may be served.
    ///   - make: makes the result. Waiting servers get its error, unless the error is this server's own. Cancelled if a
    ///     server that overtook this one has made the result.
    func result(
        for key: String, lifetime: Duration, progress: WorkProgress = WorkProgress({ nil }),
        isServed: @escaping @Sendable (ServedResult) -> Bool,
        _ make: @escaping @Sendable () async throws(ServeError) -> ServedResult
    ) async throws(ServeError) -> Found {
        if let result = await stored(key), isServed(result) { return (result, true) }
        let (stored, token) = try await turn(key, isServed)
        if let stored { return (stored, true) }
        let outcome = await race(key, token, progress, isServed, make)
        let failure: ByteBuffer?
        switch outcome {
        case .success(let found) where found.isStored: return found
        case .success(let found) where found.result.mayKeep:
            await store(found.result, for: key, token: token, lifetime: lifetime)
            return found
        case .success: failure = RedisResults.unshared
        case .failure(let error): failure = error.isOfServer ? nil : encode(error, of: key, time: error.retryAfter ?? 0)
        }
        if let token { await redis?.finish(key, token: token, failure: failure) }
        return try outcome.get()
    }

    /// Makes a result while its lease is renewed, or takes it from the server that overtook this one.
    private func race(
        _ key: String, _ token: String?, _ progress: WorkProgress,
        _ isServed: @escaping @Sendable (ServedResult) -> Bool,
        _ make: @escaping @Sendable () async throws(ServeError) -> ServedResult
    ) async -> Result<Found, ServeError> {
        await withTaskGroup(of: Result<Found, ServeError>?.self) { group in
            group.addTask {
                do throws(ServeError) { return .success((try await make(), false)) } catch { return .failure(error) }
            }
            if let token, let redis {
                group.addTask { [self] in
                    await renew(key, token, progress, redis, isServed).map { .success(($0, true)) }
                }
            }
            defer { group.cancelAll() }
            while let outcome = await group.next() { if let outcome { return outcome } }
            return .failure(.clientClosed)
        }
    }

    /// Renews a lease until the task is cancelled.
    ///
    /// - Returns: the result that ended the lease; `nil` after a cancellation.
    private func renew(
        _ key: String, _ token: String, _ progress: WorkProgress, _ redis: RedisResults,
        _ isServed: @Sendable (ServedResult) -> Bool
    ) async -> ServedResult? {
        var last: Int? = 0
        while true {
            do { try await Task.sleep(for: redis.renewalTime) } catch { return nil }
            let now = progress.withLock { $0 }()
            let isHeld = await redis.prolong(key, token: token, hasProgress: now == nil || now != last)
            last = now
            if !isHeld, let result = await redisResult(key), isServed(result) { return result }
        }
    }

    // MARK: Failures of sources

    /// The maximum time for which a failure is stored, in seconds.
    private static let longestFailure = 60

    /// Returns the recent failure of a source on another server.
    ///
    /// - Parameter now: the seconds since 1970.
    func failure(of source: String, now: Int) async -> ServeError? {
        guard let bytes = await redis?.bytes(for: FleetResults.failureKey(source)),
            let failure = decode(bytes, of: source), let time = failure.retryAfter
        else { return nil }
        // Clocks of servers differ.
        let (remaining, isOver) = time.subtractingReportingOverflow(now)
        guard !isOver, (1...FleetResults.longestFailure).contains(remaining) else { return nil }
        return ServeError(failure.status, failure.message, retryAfter: remaining)
    }

    /// Stores a failure of a source that states a time for a retry. A bucket stores none, because its objects do not
    /// expire.
    func keep(_ failure: ServeError, of source: String, now: Int) async {
        guard let redis, let time = failure.retryAfter else { return }
        let (remaining, key) = (min(time, FleetResults.longestFailure), FleetResults.failureKey(source))
        let bytes = encode(failure, of: source, time: now + remaining)
        await redis.finish(key, bytes: bytes, lifetime: .seconds(remaining))
    }

    /// - Parameters:
    ///   - name: the source, or the key of the result.
    ///   - time: takes the place of the time for a retry; 0 for none.
    private func encode(_ failure: ServeError, of name: String, time: Int) -> ByteBuffer {
        let record = ServedResult(
            body: ByteBuffer(string: failure.message), mediaType: "text/plain", entityTag: "\(failure.status)",
            made: time)
        return format.withLock { $0 }.encode(record, key: FleetResults.failureKey(name))
    }

    private func decode(_ bytes: ByteBuffer, of name: String) -> ServeError? {
        guard let record = format.withLock({ $0 }).decode(bytes, key: FleetResults.failureKey(name)),
            let status = Int(record.entityTag), (400...599).contains(status)
        else { return nil }
        return ServeError(status, String(buffer: record.body), retryAfter: record.made > 0 ? record.made : nil)
    }

    private static func failureKey(_ source: String) -> String {
        HexadecimalDigest.text(of: Data("failure\n\(source)".utf8))
    }

    /// - Parameter token: the lease to release after storing. Default: `nil`.
    func store(_ result: ServedResult, for key: String, token: String? = nil, lifetime: Duration) async {
        let bytes = format.withLock { $0 }.encode(result, key: key)
        await redis?.finish(key, token: token ?? "", bytes: bytes, lifetime: lifetime)
        if let objects { Task { await objects.store(bytes, for: key) } }
    }

    private func stored(_ key: String) async -> ServedResult? {
        if let result = await redisResult(key) { return result }
        return await objects?.bytes(for: key).flatMap { bytes in format.withLock { $0 }.decode(bytes, key: key) }
    }

    private func redisResult(_ key: String) async -> ServedResult? {
        await redis?.bytes(for: key).flatMap { bytes in format.withLock { $0 }.decode(bytes, key: key) }
    }

    // MARK: Turns

    /// A stored result, or the token of this server's lease.
    private typealias Turn = (stored: ServedResult?, token: String?)

    /// Takes the lease of a result, or waits until another server has made it or has given up. Returns neither a result
    /// nor a token if the result is to be made without a lease.
    ///
    /// - Throws: the failure of the other server.
    private func turn(
        _ key: String, _ isServed: @Sendable (ServedResult) -> Bool
    ) async throws(ServeError) -> Turn {
        guard let redis else { return (nil, nil) }
        if let turn = try await ask(redis, key, isServed, isWaiting: false) { return turn }
        waits.withLock { $0 += 1 }
        let end = ContinuousClock.now + patience
        return try await redis.listening(to: key) { (signal) async throws(ServeError) in
            // Order: looked up after subscribing, so that no message is missed.
            while !Task.isCancelled, ContinuousClock.now < end {
                if let result = await stored(key), isServed(result) { return (result, nil) }
                if let turn = try await ask(redis, key, isServed, isWaiting: true) { return turn }
                await signal.wait(atMost: FleetResults.pollTime)
            }
            return (nil, nil)
        }
    }

    /// Requests the lease; `nil` if another server has it.
    private func ask(
        _ redis: RedisResults, _ key: String, _ isServed: @Sendable (ServedResult) -> Bool, isWaiting: Bool
    ) async throws(ServeError) -> Turn? {
        switch await redis.lease(key, isWaiting: isWaiting) {
        case .held: return nil
        case .unavailable: return (nil, nil)
        case .ended(let bytes):
            if let failure = decode(bytes, of: key) { throw failure }
            return (nil, nil)
        case .granted(let token):
            // The previous server may have released its lease just after the look-up.
            guard let result = await stored(key), isServed(result) else { return (nil, token) }
            await redis.finish(key, token: token)
            return (result, nil)
        }
    }
}
