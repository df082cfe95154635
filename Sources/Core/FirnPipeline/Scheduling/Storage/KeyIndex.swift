/// Root jobs by the hash of their key. It stores hashes and job numbers only.
///
/// Grows by one bucket with every few keys, so that no single request moves all existing ones. A bucket is one cache
/// line with everything that a lookup compares, so a lookup touches that line and the job that it finds.
///
/// Source: Litwin, Linear hashing: a new tool for file and table addressing (VLDB 1980).
/// Invariants: with 2^n + s buckets, the first s are split: their hashes use n + 1 bits, all others n. Entries that
/// do not fit into a bucket are in its chain of further buckets, in any order.
struct KeyIndex {
    struct Entry {
        var hash: UInt32 = 0
        var job: Int32 = -1
    }

    struct Bucket {
        var entries = InlineArray<7, Entry>(repeating: Entry())
        var count: Int32 = 0
        /// The next bucket of its chain, in `further`.
        var next: Int32 = -1
    }

    private(set) var buckets: Slots<Bucket>
    private(set) var further: Slots<Bucket>
    private var free: Int32 = -1
    private(set) var count = 0
    private var mask: UInt32 = 3
    private var split: UInt32 = 0
    private var moved: [Entry] = []

    /// The average number of keys in a bucket.
    private static let load = 3

    /// Creates an empty index in empty slots.
    init(_ buckets: Slots<Bucket>, _ further: Slots<Bucket>) {
        self.buckets = buckets
        self.further = further
        for _ in 0...mask { _ = buckets.append(Bucket()) }
    }

    /// Replaces the slots by copies of them.
    mutating func move(to buckets: Slots<Bucket>, _ further: Slots<Bucket>) {
        self.buckets = buckets
        self.further = further
    }

    /// The first job with a hash for which `isMatch` holds.
    @inline(__always)
    mutating func find(_ hash: UInt, _ isMatch: (Int32) -> Bool) -> Int32? {
        let short = KeyIndex.short(hash)
        let first = bucket(short)
        if let job = KeyIndex.find(short, in: buckets, first, isMatch) { return job }
        var next = buckets[first].next
        while next >= 0 {
            if let job = KeyIndex.find(short, in: further, next, isMatch) { return job }
            next = further[next].next
        }
        return nil
    }

    @inline(__always)
    private static func find(
        _ hash: UInt32, in slots: Slots<Bucket>, _ index: Int32, _ isMatch: (Int32) -> Bool
    ) -> Int32? {
        for place in 0..<Int(slots[index].count) where slots[index].entries[place].hash == hash {
            let job = slots[index].entries[place].job
            if isMatch(job) { return job }
        }
        return nil
    }

    mutating func insert(_ job: Int32, _ hash: UInt) {
        put(Entry(hash: KeyIndex.short(hash), job: job))
        count += 1
        if count > Int(buckets.count) * KeyIndex.load, buckets.count < 1 << 30 { grow() }
    }

    mutating func remove(_ job: Int32, _ hash: UInt) {
        let first = bucket(KeyIndex.short(hash))
        var isRemoved = KeyIndex.remove(job, from: buckets, first)
        var next = buckets[first].next
        while !isRemoved, next >= 0 {
            isRemoved = KeyIndex.remove(job, from: further, next)
            next = further[next].next
        }
        if isRemoved { count -= 1 }
    }

    private static func remove(_ job: Int32, from slots: Slots<Bucket>, _ index: Int32) -> Bool {
        let last = Int(slots[index].count) - 1
        for place in 0..<(last + 1) where slots[index].entries[place].job == job {
            slots[index].entries[place] = slots[index].entries[last]
            slots[index].count -= 1
            return true
        }
        return false
    }

    private mutating func put(_ entry: Entry) {
        let first = bucket(entry.hash)
        if KeyIndex.put(entry, into: buckets, first) { return }
        var next = buckets[first].next
        while next >= 0 {
            if KeyIndex.put(entry, into: further, next) { return }
            next = further[next].next
        }
        let new = makeFurther()
        further[new].next = buckets[first].next
        buckets[first].next = new
        _ = KeyIndex.put(entry, into: further, new)
    }

    @inline(__always)
    private static func put(_ entry: Entry, into slots: Slots<Bucket>, _ index: Int32) -> Bool {
        let place = Int(slots[index].count)
        guard place < slots[index].entries.count else { return false }
        slots[index].entries[place] = entry
        slots[index].count += 1
        return true
    }

    /// Splits the next bucket into it and a new one at the end.
    private mutating func grow() {
        let old = Int32(truncatingIfNeeded: split)
        _ = buckets.append(Bucket())
        split += 1
        if split > mask {
            mask = mask << 1 | 1
            split = 0
        }
        takeAll(from: buckets, old)
        var next = buckets[old].next
        buckets[old].next = -1
        while next >= 0 {
            let emptied = next
            takeAll(from: further, emptied)
            next = further[emptied].next
            further[emptied].next = free
            free = emptied
        }
        for entry in moved { put(entry) }
        moved.removeAll(keepingCapacity: true)
    }

    private mutating func takeAll(from slots: Slots<Bucket>, _ index: Int32) {
        for place in 0..<Int(slots[index].count) { moved.append(slots[index].entries[place]) }
        slots[index].count = 0
    }

    private mutating func makeFurther() -> Int32 {
        guard free >= 0 else { return further.append(Bucket()) }
        let index = free
        free = further[index].next
        further[index].next = -1
        return index
    }

    @inline(__always) private static func short(_ hash: UInt) -> UInt32 {
        UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
    }

    @inline(__always) private func bucket(_ hash: UInt32) -> Int32 {
        let short = hash & mask
        return Int32(truncatingIfNeeded: short < split ? hash & (mask << 1 | 1) : short)
    }
}
