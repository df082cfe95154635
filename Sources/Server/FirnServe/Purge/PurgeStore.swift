import NIOCore

/// The place where the servers of a fleet share their log of purges.
protocol PurgeStore: Sendable {
    /// The time after which running servers have read a purge; zero if they confirm it.
    var delay: Duration { get }

    /// Reads the log, and reports the number that a server has applied.
    ///
    /// - Parameter version: the version that the server has; its bytes are not read again.
    /// - Returns: `nil` if the store fails.
    func read(unless version: String?, by server: String, at number: Int) async -> StoredPurges?

    /// Replaces a version of the log, `""` for none.
    ///
    /// - Returns: the new version; `""` if the log has changed meanwhile, `nil` if the store fails.
    func replace(_ version: String, by bytes: ByteBuffer) async -> String?

    /// Runs `body` with a signal that sounds when the log changes, if the store has messages.
    func listening(_ body: (RedisSignal) async -> Void) async

    /// Removes a server that ends.
    func remove(_ server: String) async
}

/// The log as stored.
struct StoredPurges: Sendable {
    /// Another one after each change; empty if there is no log.
    let version: String
    /// `nil` if the version is the known one.
    var bytes: ByteBuffer?
    /// The servers that were heard of in the last minute, with the numbers that they have applied and the seconds since.
    var servers: [(name: String, number: Int, age: Int)] = []
}

/// The log in Redis: `f:{purges}:r` its version and bytes, `f:{purges}:s` the servers, `f:{purges}:w` the channel that
/// announces changes.
final class RedisPurges: PurgeStore {
    private static let reading = """
        local now = tonumber(redis.call('TIME')[1])
        redis.call('HSET', KEYS[2], ARGV[1], ARGV[2] .. ' ' .. now)
        local servers, fields = {}, redis.call('HGETALL', KEYS[2])
        for i = 1, #fields, 2 do
            local number, time = string.match(fields[i + 1], '^(%d+) (%d+)$')
            local age = now - tonumber(time or '0')
            if age > 60 then
                redis.call('HDEL', KEYS[2], fields[i])
            else
                for _, value in ipairs({fields[i], number, tostring(age)}) do table.insert(servers, value) end
            end
        end
        local version, log = redis.call('HGET', KEYS[1], 'version') or '', ''
        if version ~= ARGV[3] then log = redis.call('HGET', KEYS[1], 'log') or '' end
        return {version, log, servers}
        """

    private static let replacing = """
        if (redis.call('HGET', KEYS[1], 'version') or '') ~= ARGV[1] then return 0 end
        redis.call('HSET', KEYS[1], 'version', ARGV[2], 'log', ARGV[3])
        redis.call('SPUBLISH', KEYS[2], '1')
        return 1
        """

    let delay = Duration.zero
    /// Own connections, so that a late reply to another command does not close them.
    private let redis: RedisResults
    private let names = ["r", "s", "w"].map { RedisResults.name("purges", $0) }

    init(_ redis: RedisResults) { self.redis = redis }

    deinit { redis.stop() }

    func read(unless version: String?, by server: String, at number: Int) async -> StoredPurges? {
        let texts = ["EVAL", RedisPurges.reading, "2", names[0], names[1], server, "\(number)", version ?? "-"]
        guard case .list(let parts)? = await send(texts), parts.count == 3, let found = parts[0].string,
            case .bytes(let bytes) = parts[1], case .list(let rows) = parts[2]
        else { return nil }
        var stored = StoredPurges(version: found, bytes: found == version ? nil : bytes)
        var fields = rows.map { $0.string ?? "" }[...]
        while let name = fields.popFirst(), let number = fields.popFirst(), let age = fields.popFirst() {
            stored.servers.append((ServeError.printable(name.utf8), Int(number) ?? 0, Int(age) ?? 0))
        }
        return stored
    }

    func replace(_ version: String, by bytes: ByteBuffer) async -> String? {
        let token = String(UInt64.random(in: .min ... .max), radix: 36)
        let texts = ["EVAL", RedisPurges.replacing, "2", names[0], names[2], version, token]
        guard case .number(let count)? = await send(texts, bytes) else { return nil }
        return count == 1 ? token : ""
    }

    func listening(_ body: (RedisSignal) async -> Void) async { await redis.listening(to: "purges", body) }

    func remove(_ server: String) async { _ = await send(["HDEL", names[1], server]) }

    private func send(_ texts: [String], _ bytes: ByteBuffer? = nil) async -> RESPValue? {
        let arguments = texts.map { ByteBuffer(string: $0) } + (bytes.map { [$0] } ?? [])
        return await redis.send(RedisCommand(arguments: arguments), names[0], .finish)
    }
}

/// The log in a bucket: the object `purges`, which is replaced only in the version that was read.
final class S3Purges: PurgeStore {
    private static let key = "purges"
    /// Servers read each second, with some time for a read.
    let delay = Duration.seconds(3)
    private let client: S3Client
    private let limit: Duration

    init(_ client: S3Client, within limit: Duration) {
        self.client = client
        self.limit = limit
    }

    func read(unless version: String?, by server: String, at number: Int) async -> StoredPurges? {
        do throws(S3Error) {
            let found = try await client.get(
                S3Purges.key, unless: version ?? "", maximumBytes: 4 << 20, within: limit)
            return StoredPurges(version: found.version, bytes: found.bytes)
        } catch {
            return error.kind == .notFound ? StoredPurges(version: "") : nil
        }
    }

    func replace(_ version: String, by bytes: ByteBuffer) async -> String? {
        do throws(S3Error) {
            let condition = version.isEmpty ? ("If-None-Match", "*") : ("If-Match", version)
            return try await client.put(bytes, for: S3Purges.key, if: condition, within: limit)
        } catch {
            return [.exists, .notFound].contains(error.kind) ? "" : nil
        }
    }

    func listening(_ body: (RedisSignal) async -> Void) async { await body(RedisSignal()) }

    func remove(_ server: String) async {}
}
