/// What a job does next. In the order of preference among equally urgent jobs: what is nearest to a picture first.
enum JobStage: UInt8, CaseIterable, Sendable {
    case process, decode, read, transfer, store

    static let count = 5
}

/// How many jobs may be at work at once.
struct StageLimits: Hashable, Sendable {
    /// Decoding and processing together: they need a core each.
    var computing: Int
    /// Reads of files and of the data cache.
    var reading: Int
    /// Transfers under way. Their slots are held from start to end, though no worker waits for them.
    var transferring: Int
    /// Writes to the data cache.
    var storing: Int
    /// Pictures' worth of bytes that may wait for a decoder before no more are fetched.
    var backlog: Int
    /// Writes that may wait before no more bytes are fetched.
    var storeBacklog: Int
    /// Bytes that decodes may hold at once; one decode alone may exceed it.
    var decodingBytes: Int
}
