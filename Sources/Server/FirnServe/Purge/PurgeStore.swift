import NIOCore

/// The place where the servers of a fleet share their log of purges: Redis, or else a bucket.
///
/// Redis: `f:{purges}:r` the log and its version, which each change replaces; `f:{purges}:s` the servers, as `NAME
/// NUMBER` by the time of their last read; `f:{purges}:w` the channel that announces changes. Bucket: the object
/// `purges`. A write there may replace one of another server, which then restores its record.
struct PurgeStore: Sendable {
    struct Found: Sendable {
        /// Empty if there is no log.
        let version: String
        /// `nil` if the version is the known one, or if there is no log.
        var bytes: ByteBuffer?
        /// The numbers that the servers of the last minute have applied; -1 for one that has ended.
        var servers: [String: Int] = [:]
        /// The servers of the last 3 seconds.
        var live: Set<String> = []
    }

    private static let reading = """
        local now = tonumber(redis.call('TIME')[1])
        redis.call('ZADD', KEYS[2], now, ARGV[1])
        redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - 60)
        local version = redis.call('HGET', KEYS[1], 'version') or ''
        local log = version ~= ARGV[2] and redis.call('HGET', KEYS[1], 'log') or ''
        local all, live = redis.call('ZRANGE', KEYS[2], 0, -1), redis.call('ZRANGEBYSCORE', KEYS[2], now - 3, '+inf')
        return {version, log, all, live}
        """

    private static let replacing = """
        if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[1] then return 0 end
        redis.call('HSET', KEYS[1], 'version', ARGV[2], 'log', ARGV[3])
        redis.call('SPUBLISH', KEYS[2], '1')
        return 1
        """

    /// Own connections, so that a late reply to another command does not close them.
    let redis: RedisResults?
    let objects: S3Client?
    let limit: Duration

    /// The time after which running servers have read a purge; zero if they confirm it.
    var delay: Duration { redis == nil ? .seconds(3) : .zero }

    /// Reads the log, and reports the number that a server has applied.
    ///
    /// - Returns: `nil` if the store fails.
    func read(unless version: String, by server: String, at number: Int) async -> Found? {
        guard let redis else { return await object() }
        let names = ["r", "s"].map { RedisResults.name("purges", $0) }
        let texts = ["EVAL", PurgeStore.reading, "2"] + names + ["\(server) \(number)", version]
        guard case .list(let parts)? = await redis.send(RedisCommand(texts), names[0], .finish), parts.count == 4,
            let found = parts[0].string, case .bytes(let bytes) = parts[1]
        else { return nil }
        var result = Found(version: found, bytes: found == version || found.isEmpty ? nil : bytes)
        for row in PurgeStore.rows(parts[2]) {
            let (known, own) = (result.servers[row.name] ?? 0, row.number)
            result.servers[row.name] = min(known, own) < 0 ? -1 : max(known, own)
        }
        result.live = Set(PurgeStore.rows(parts[3]).map(\.name))
        return result
    }

    private static func rows(_ value: RESPValue) -> [(name: String, number: Int)] {
        guard case .list(let rows) = value else { return [] }
        return rows.compactMap { row in
            let words = row.string?.split(separator: " ") ?? []
            return words.count == 2 ? (ServeError.printable(words[0].utf8), Int(words[1]) ?? 0) : nil
        }
    }

    private func object() async -> Found? {
        do throws(S3Error) {
            return Found(version: "s3", bytes: try await objects?.get("purges", maximumBytes: 4 << 20, within: limit))
        } catch {
            return error.kind == .notFound ? Found(version: "") : nil
        }
    }

    /// Replaces a version of the log.
    ///
    /// - Returns: false if it has changed meanwhile, `nil` if the store fails.
    func replace(_ version: String, by bytes: ByteBuffer) async -> Bool? {
        guard let redis else {
            return (try? await objects?.put(bytes, for: "purges", within: limit)).map { true }
        }
        let (names, token) = (["r", "w"].map { RedisResults.name("purges", $0) }, UInt64.random(in: .min ... .max))
        let texts = ["EVAL", PurgeStore.replacing, "2"] + names + [version, "\(token)"]
        guard case .number(let count)? = await redis.send(RedisCommand(texts, bytes), names[0], .finish) else {
            return nil
        }
        return count == 1
    }

    /// Runs `body` with a signal that sounds when the log changes, if the store has messages.
    func listening(_ body: (RedisSignal) async -> Void) async {
        guard let redis else { return await body(RedisSignal()) }
        await redis.listening(to: "purges", body)
    }
}
