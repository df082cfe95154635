/// The conditions of a simulated engine: its network, its decoders, its threads. Chosen by the seed.
struct Circumstances {
    /// A range of virtual time, in milliseconds.
    struct Span {
        var least: Double
        var most: Double

        func moment(_ random: inout SeededGenerator) -> Moment {
            Moment((least + (most - least) * random.fraction()) * 1e6)
        }
    }

    // The network.
    var bitsPerSecond = 10e6
    var roundTrip: Moment = 70_000_000
    /// The number of links; the hosts are distributed over them.
    var links = 1
    var hosts = 1
    /// The time until a server responds, without the round trip.
    var thinking = Span(least: 1, most: 20)
    /// True if the first host never responds, so that its requests time out.
    var isFirstHostDead = false
    /// The time after which they do.
    var patience = Span(least: 300, most: 10_000)
    /// The share of failed transfers that time out.
    var timeouts = 0.3
    /// The bytes that arrive unread before a sender stops, in addition to those in flight.
    var receiveBuffer = 0.0
    var chunk = 16 << 10
    var breaks = 0.0
    var wrongLengths = 0.0
    var unknownLengths = 0.0
    var lies = 0.0
    var unresumable = 0.0
    var immediate = 0.0
    /// The size of a body in bytes; drawn uniformly in the logarithm.
    var minimumBytes = 1_000.0
    var maximumBytes = 400_000.0
    /// True if the bytes of stopped transfers are stored and resumed.
    var keepsPartialBytes = false

    /// The share of fetches that are look-ups, which may lead to another key.
    var lookups = 0.0

    // Reading, decoding and storing.
    var reading = Span(least: 0.1, most: 4)
    var diskHits = 0.1
    var readFailures = 0.02
    var decoding = Span(least: 0.5, most: 30)
    var giants = 0.02
    var decodeFailures = 0.03
    var earlyFailures = 0.03
    var earlyFinishes = 0.1
    var processing = Span(least: 0.2, most: 8)
    var processFailures = 0.02
    var storing = Span(least: 0.2, most: 5)
    var stores = 0.3
    /// The share of loads with a cached image that is stale.
    var stalePreviews = 0.2
    /// The share of failed transfers that a stale image follows.
    var refusals = 0.3
    /// The share of slices that are too early for a preview, and how long they then wait for one.
    var waitsForPreviews = 0.3
    var previewWait = Span(least: 0, most: 300)
    /// The share of decodes that reserve memory, and how much at most.
    var asksMemory = 0.5
    var maximumMemory = 120

    // The threads.
    /// How often a thread is delayed between decision and action, and for how long.
    var heldUp = 0.1
    var holdUp = Span(least: 0.001, most: 2)
    /// True if bodies can be stored.
    var keeps = true
}

extension SeededGenerator {
    /// Returns a number from 0 to below 1.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func chance(_ probability: Double) -> Bool { probability > 0 && fraction() < probability }

    mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() % UInt64(bound)) }
}
