/// The counts of a service.
struct ServiceCounters: Sendable, Equatable {
    /// Results that were made.
    var made = 0
    var memoryHits = 0
    /// Memory hits of repeated requests, whose addresses were not parsed again.
    var repeated = 0
    /// Memory hits whose raw request bytes matched an earlier request.
    var compared = 0
    var diskHits = 0
    /// Results from a store of the fleet.
    var storeHits = 0
    /// Results that another server made while this one waited.
    var storeWaits = 0
    /// Commands to Redis without a usable reply, by their cause.
    var storeFaults: [RedisFault: Int] = [:]
    /// Rejected requests, by the limit that they met.
    var refusals: [AdmissionError: Int] = [:]
    var refused: Int { refusals.values.reduce(0, +) }
    /// Requests that joined another request's work.
    var shared = 0
    /// Results that are being made.
    var running = 0
    /// Requests that wait for these results.
    var waiting = 0
    /// Results that compute or wait for a core, and not for a source.
    var computing = 0
    /// The transfers at once of hosts that do not respond in time, by scheme, host and port.
    var places: [String: Int] = [:]
    /// Bytes of results in memory.
    var memoryBytes = 0
    var spans = SpanExporter.Counts()
    /// Purges that were requested here.
    var purges = 0
    /// Results in memory that were requested again after a purge.
    var purgedHits = 0
    /// Decoder processes that ended while decoding an image.
    var decoderDeaths = 0
}
