extension ServeSettings {
    /// Takes over what only a restart can change: folders, memory, connections, and whether addresses are signed.
    mutating func keepRestartOptions(of current: ServeSettings) {
        localRoot = current.localRoot
        cacheDirectory = current.cacheDirectory
        isCacheShared = current.isCacheShared
        resultMemory = current.resultMemory
        connections = current.connections
        drainDelay = current.drainDelay
        redis = current.redis
        s3Results = current.s3Results
        redisTimeLimit = current.redisTimeLimit
        imgproxy.isInsecure = current.imgproxy.isInsecure
    }
}
