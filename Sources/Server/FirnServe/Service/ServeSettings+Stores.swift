import Logging
import NIOCore

extension FleetResults {
    /// - Parameter logger: logs when a store starts to fail, and when it works again.
    /// - Returns: `nil` if no store is configured.
    convenience init?(_ settings: ServeSettings, logger: Logger) {
        let redis = settings.redis.map { RedisResults($0, within: settings.redisTimeLimit, logger: logger) }
        let objects = settings.s3Client.map { S3ResultStore($0, limits: settings.s3ResultLimits, logger: logger) }
        guard redis != nil || objects != nil else { return nil }
        self.init(redis: redis, objects: objects, secrets: settings.storeSecrets, patience: settings.timeLimit)
    }
}

extension ServeSettings {
    /// The store of purges; `nil` for a single server.
    var purgeStore: PurgeStore? {
        let own = redis.map { RedisResults($0, within: max(redisTimeLimit, .seconds(1))) }
        guard own != nil || s3Results != nil else { return nil }
        return PurgeStore(redis: own, objects: s3Client, limit: max(s3ResultLimits.readTime, .seconds(2)))
    }

    /// The secrets that authenticate stored results: the signature keys, which the servers of a fleet share.
    var storeSecrets: [[UInt8]] { imgproxy.keyPairs.map { $0.key + $0.salt } }

    fileprivate var s3Client: S3Client? {
        guard let s3Results, let s3Credentials else { return nil }
        return S3Client(address: s3Results, credentials: s3Credentials)
    }

    /// Reads and writes an object named `check` in each store of results.
    ///
    /// - Throws: ``ConfigurationError`` for a store that fails at either. A running server continues without it.
    package func checkStores() async throws(ConfigurationError) {
        if let address = redis {
            let store = RedisResults(address, within: max(redisTimeLimit, .seconds(2)))
            let reason = await store.check()
            store.stop()
            if let reason {
                throw ConfigurationError("redis: \(reason); check the address, the password and its rights")
            }
        }
        guard let client = s3Client else { return }
        do throws(S3Error) {
            do throws(S3Error) {
                _ = try await client.get("check", maximumBytes: 1 << 20, within: .seconds(10))
            } catch {
                guard error.isHarmless else { throw error }
            }
            try await client.put(ByteBuffer(string: "firn"), for: "check", within: .seconds(10))
        } catch {
            throw ConfigurationError("s3: \(error)")
        }
    }
}
