/// The uses that lookups on one core record until they are passed to the eviction policies.
///
/// The policies learn of uses before every change of the cache, and after uses of many different images. Of repeated
/// uses of an image, they learn only the last: using few images often costs no more than the recording.
///
/// Order: exact for the uses of one core. Across cores it is exact up to two uses of each, since only every second use
/// reads the clock. On the replayed traces this costs at most 0.4 hits in a hundred with 16 cores, each request on a
/// random core, and 0.1 with two (`TraceReplayTests`).
///
/// Bound: without a change of the cache, uses wait until `capacity` are recorded. If another thread is changing the
/// cache at that moment, the older half is dropped.
struct RecordedUses {
    /// A use of a slot.
    struct Use {
        var slot: Int32
        /// The time of the use, ordered by the clock and, within a core, by sequence.
        var moment: Int64
    }

    private static let capacity = 512

    // Separate arrays, so that a use writes 12 bytes.
    private var slots = InlineArray<512, Int32>(repeating: 0)
    private var moments = InlineArray<512, Int64>(repeating: 0)
    private(set) var count = 0
    /// The number of lookups that found an image, and of those that did not.
    private(set) var hits = 0
    var misses = 0

    /// Records a use of a slot.
    ///
    /// - Parameter now: the clock.
    /// - Returns: true if ``settle(_:)`` must be called before the next use.
    @inline(__always)
    mutating func record(_ slot: Int32, now: () -> Int64) -> Bool {
        hits &+= 1
        slots[count] = slot
        moments[count] = count & 1 == 0 ? now() : moments[count &- 1] &+ 1
        count &+= 1
        return count == RecordedUses.capacity
    }

    /// Passes the uses on, in order, and clears them.
    mutating func drain(_ body: (Use) -> Void) {
        for at in 0..<count { body(Use(slot: slots[at], moment: moments[at])) }
        count = 0
    }

    /// Makes room: drops all but the last use of each slot. If that is not enough, passes the rest on.
    ///
    /// - Parameter pass: returns whether the policies took the uses.
    @inline(never)
    mutating func settle(_ pass: (inout RecordedUses) -> Bool) {
        keepLastUses()
        guard count > RecordedUses.capacity / 2, !pass(&self) else { return }
        keepNewest(RecordedUses.capacity / 2)
    }

    private mutating func keepNewest(_ number: Int) {
        for at in 0..<number { copy(from: count - number + at, to: at) }
        count = number
    }

    private mutating func keepLastUses() {
        // Open addressing with linear probing, at most half full; -1 is an empty bucket.
        let mask = 2 * RecordedUses.capacity - 1
        var seen = InlineArray<1024, Int32>(repeating: -1)
        var kept = count
        for at in stride(from: count - 1, through: 0, by: -1) {
            let slot = slots[at]
            // Source: Knuth, The Art of Computer Programming, volume 3, 6.4 (multiplicative hashing).
            var bucket = Int(UInt32(bitPattern: slot) &* 0x9e37_79b9 >> 16) & mask
            while seen[bucket] >= 0, seen[bucket] != slot { bucket = (bucket + 1) & mask }
            if seen[bucket] == slot { continue }
            seen[bucket] = slot
            kept -= 1
            copy(from: at, to: kept)
        }
        keepNewest(count - kept)
    }

    private mutating func copy(from source: Int, to target: Int) {
        slots[target] = slots[source]
        moments[target] = moments[source]
    }
}

extension AdaptiveTable {
    /// Records the uses of several cores in chronological order.
    mutating func touch(_ uses: inout [RecordedUses.Use]) {
        // Uses of a single core are already in order; the sort then only compares them.
        uses.sort { $0.moment < $1.moment }
        for use in uses { touch(use.slot) }
        uses.removeAll(keepingCapacity: true)
    }
}
