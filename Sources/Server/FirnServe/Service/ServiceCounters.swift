/// The counts of a service: done, and in work.
package struct ServiceCounters: Sendable, Equatable {
    /// Results that were made.
    package var made = 0
    package var memoryHits = 0
    /// Those of them that were served as they arrived, because the same request was served before.
    package var repeated = 0
    /// Those of them whose request arrived in the same bytes as one before.
    package var compared = 0
    package var diskHits = 0
    /// Results that a store of the fleet had.
    package var storeHits = 0
    /// Results that another server of the fleet was waited for.
    package var storeWaits = 0
    /// Commands to Redis without a usable reply, by their cause.
    package var storeFaults: [RedisFault: Int] = [:]
    /// Requests that were refused because there was too much work, by the limit that they met.
    package var refusals: [AdmissionQueue.Refusal: Int] = [:]
    package var refused: Int { refusals.values.reduce(0, +) }
    /// Requests that waited for the work of another one.
    package var shared = 0
    /// Results in work now.
    package var running = 0
    /// Requests that wait for them.
    package var waiting = 0
    /// The bytes of results in memory.
    package var memoryBytes = 0
    /// Processes of decoders that ended in the middle of an image.
    package var decoderDeaths = 0
}
