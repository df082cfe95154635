extension ServeSettings {
    /// Takes over what only a restart can change: folders, memory, connections, and whether addresses are signed.
    mutating func keepRestartOptions(of current: ServeSettings) {
        localRoot = current.localRoot
        cacheDirectory = current.cacheDirectory
        resultMemory = current.resultMemory
        connections = current.connections
        drainDelay = current.drainDelay
        imgproxy.isInsecure = current.imgproxy.isInsecure
    }
}
