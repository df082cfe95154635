/// Slot numbers by hash: open addressing with linear probing, at most half full.
///
/// The caller compares keys. This table stores only their hashes, which must be well mixed. Removal shifts later
/// members of a run back, so there are no tombstones and lookups stay short.
///
/// Invariant: `buckets.count` is a power of two, at least twice `count`.
/// Invariant: no bucket is empty between a member's home bucket and its position.
///
/// Source: D. Knuth, The Art of Computer Programming, volume 3, section 6.4, algorithms L and R.
struct HashIndex {
    private struct Bucket {
        /// The hash. Its lower half selects the home bucket.
        var hash: UInt64
        /// The slot; negative if the bucket is empty.
        var slot: Int32
    }

    private static let empty = Bucket(hash: 0, slot: -1)

    private var buckets = [Bucket](repeating: empty, count: 16)
    private(set) var count = 0

    private var mask: Int { buckets.count - 1 }

    /// Returns the slot with this hash for which `matches` returns true.
    @inline(__always)
    func find(_ hash: UInt64, _ matches: (Int32) -> Bool) -> Int32? {
        buckets.withUnsafeBufferPointer { buckets in
            let mask = buckets.count - 1
            var at = Int(truncatingIfNeeded: hash) & mask
            while buckets[at].slot >= 0 {
                if buckets[at].hash == hash, matches(buckets[at].slot) { return buckets[at].slot }
                at = (at + 1) & mask
            }
            return nil
        }
    }

    /// Inserts a slot, which must not be present.
    mutating func insert(_ slot: Int32, _ hash: UInt64) {
        if (count + 1) * 2 > buckets.count {
            let old = buckets
            buckets = [Bucket](repeating: HashIndex.empty, count: old.count * 2)
            for bucket in old where bucket.slot >= 0 { place(bucket) }
        }
        place(Bucket(hash: hash, slot: slot))
        count += 1
    }

    /// Removes a slot if it is present under this hash.
    mutating func remove(_ slot: Int32, _ hash: UInt64) {
        var hole = Int(truncatingIfNeeded: hash) & mask
        while buckets[hole].slot != slot {
            guard buckets[hole].slot >= 0 else { return }
            hole = (hole + 1) & mask
        }
        var at = hole
        while true {
            at = (at + 1) & mask
            let bucket = buckets[at]
            if bucket.slot < 0 { break }
            // A member may move back to the hole only if its home is not after the hole.
            let distance = (at &- Int(truncatingIfNeeded: bucket.hash)) & mask
            if distance >= (at - hole) & mask {
                buckets[hole] = bucket
                hole = at
            }
        }
        buckets[hole] = HashIndex.empty
        count -= 1
    }

    private mutating func place(_ bucket: Bucket) {
        var at = Int(truncatingIfNeeded: bucket.hash) & mask
        while buckets[at].slot >= 0 { at = (at + 1) & mask }
        buckets[at] = bucket
    }
}
