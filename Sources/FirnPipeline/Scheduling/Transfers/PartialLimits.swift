/// The limits of stored partial bodies: their number, total size and age.
struct PartialLimits: Hashable, Sendable {
    var count = 32
    var bytes = 8 << 20
    var time: Moment = 300_000_000_000

    /// The minimum size of a stored body. Below it, requesting the rest takes as long as requesting the whole.
    static let leastBytes = 16 << 10
}
