import Logging

extension FleetResults {
    /// - Returns: `nil` if no store is configured.
    convenience init?(_ settings: ServeSettings) {
        let redis = settings.redis.map { RedisResults($0, within: settings.redisTimeLimit) }
        var objects: S3ResultStore?
        if let address = settings.s3Results, let credentials = settings.s3Credentials {
            objects = S3ResultStore(S3Client(address, credentials: credentials), logger: Logger(label: "firn"))
        }
        guard redis != nil || objects != nil else { return nil }
        self.init(redis: redis, objects: objects, secrets: settings.storeSecrets, patience: settings.timeLimit)
    }
}

extension ServeSettings {
    /// What proves the results of stores: the keys of signatures, which the servers of a fleet share.
    var storeSecrets: [[UInt8]] { imgproxy.keyPairs.map { $0.key + $0.salt } }
}
