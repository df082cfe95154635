/// What a simulated engine meets: its network, its decoders, its threads. Chosen by the seed.
struct Circumstances {
    /// Milliseconds of virtual time, from … to.
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
    /// Links there are; hosts share them out.
    var links = 1
    var hosts = 1
    /// What a server takes to answer, beside the way.
    var thinking = Span(least: 1, most: 20)
    /// Bytes that arrive and are not read before a sender stops, beside those in flight.
    var receiveBuffer = 0.0
    var chunk = 16 << 10
    var breaks = 0.0
    var wrongLengths = 0.0
    var unknownLengths = 0.0
    var lies = 0.0
    var unresumable = 0.0
    var immediate = 0.0
    /// Bytes of a body; drawn evenly in the logarithm.
    var leastBytes = 1_000.0
    var mostBytes = 400_000.0
    /// Whether the bytes of stopped transfers are kept and gone on from.
    var keepsPartialBytes = false

    // What is done with the bytes.
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
    /// Loads whose image is kept and no longer fresh.
    var stalePreviews = 0.2
    /// Slices that find it too early for a preview, and how long they then wait for one.
    var waitsForPreviews = 0.3
    var previewWait = Span(least: 0, most: 300)
    /// Decodes that ask for memory, and how much.
    var asksMemory = 0.5
    var mostMemory = 120

    // The threads.
    /// How often a thread is held up between deciding and doing, and how long.
    var heldUp = 0.1
    var holdUp = Span(least: 0.001, most: 2)
    /// Whether bytes may be stored at all.
    var keeps = true
}

extension SeededGenerator {
    /// From 0 to below 1.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    mutating func chance(_ probability: Double) -> Bool { probability > 0 && fraction() < probability }

    mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() % UInt64(bound)) }
}
