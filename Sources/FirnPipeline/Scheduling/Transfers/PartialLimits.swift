/// How many bodies of transfers that were given up are kept, how large together, and how long.
struct PartialLimits: Hashable, Sendable {
    var count = 32
    var bytes = 8 << 20
    var time: Moment = 300_000_000_000

    /// Bodies of fewer bytes are not worth it: a request for the rest takes as long as one for all.
    static let leastBytes = 16 << 10
}
