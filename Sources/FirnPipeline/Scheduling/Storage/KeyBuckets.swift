/// Where the roots with a key's hash are: heads of chains through the jobs.
///
/// Grows by one bucket with one key, so that no single request pays for all that are there already.
///
/// Source: Litwin, Linear hashing: a new tool for file and table addressing (VLDB 1980).
/// Invariant: with 2^n + s buckets, the first s are split: their hashes count with n + 1 bits, all others with n.
struct KeyBuckets {
    private(set) var heads: Slots<Int32>
    /// Keys there are.
    private(set) var count = 0
    private var mask: UInt = 7
    private var split: UInt = 0

    /// Begins anew in slots of which there are none.
    init(_ heads: Slots<Int32>) {
        self.heads = heads
        for _ in 0...mask { _ = heads.append(-1) }
    }

    /// The bucket for a hash.
    @inline(__always) func bucket(_ hash: UInt) -> Int32 {
        let short = hash & mask
        return Int32(truncatingIfNeeded: short < split ? hash & (mask << 1 | 1) : short)
    }

    mutating func added() { count += 1 }
    mutating func removed() { count -= 1 }

    /// The bucket to be divided with a new one at the end, if there have come to be more keys than buckets.
    mutating func grow() -> (old: Int32, new: Int32)? {
        guard count > Int(heads.count), heads.count < 1 << 30 else { return nil }
        let old = Int32(truncatingIfNeeded: split)
        let new = heads.append(-1)
        split += 1
        if split > mask {
            mask = mask << 1 | 1
            split = 0
        }
        return (old, new)
    }

    /// The same in other slots, which are copies of these.
    mutating func move(to heads: Slots<Int32>) { self.heads = heads }
}
