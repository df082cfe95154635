/// The running and paused transfers, and the number of slots that they hold.
///
/// Queries search them all, but those of every event read counts. An entry's index changes when another one ends;
/// ``JobTable/endTransfer(_:isCancelled:)`` then updates its job.
/// Invariant: the counts are those of the entries; those of slots leave out the held ones.
struct TransferSlots {
    private(set) var entries = ContiguousArray<TransferEntry>()
    /// The number of slots in use.
    private(set) var taken = 0
    /// The number of slots in use at levels 0 and 1.
    private(set) var low = 0
    /// The number of slots in use by transfers from hosts, which share the bandwidth, by level.
    private var onLine = InlineArray<5, Int>(repeating: 0)
    /// The number of transfers that read, and of those that would but are stalled.
    private(set) var (reading, stalled) = (0, 0)
    private var number: UInt64 = 0

    var count: Int { entries.count }
    var lowOnLine: Int { onLine[0] + onLine[1] }
    var highOnLine: Int { onLine[2] + onLine[3] + onLine[4] }
    /// The lowest level of these transfers; above all levels if there are none.
    var lowestOnLine: Int { onLine.indices.first { onLine[$0] > 0 } ?? onLine.count }

    subscript(index: Int) -> TransferEntry {
        _read { yield entries[index] }
        _modify {
            countReading(entries[index], -1)
            defer { countReading(entries[index], 1) }
            yield &entries[index]
        }
    }

    mutating func begin(job: Int32, host: Int32, level: Int, isProtected: Bool, now: Moment) -> Int32 {
        number += 1
        var entry = TransferEntry(job: job, host: host, number: number, level: level, now: now)
        entry.isProtected = isProtected
        count(entry, 1)
        entries.append(entry)
        return Int32(entries.count - 1)
    }

    /// Removes a transfer.
    ///
    /// - Returns: the job whose entry has moved to this index, if there is one.
    mutating func end(_ index: Int) -> Int32? {
        if !entries[index].isHeld { count(entries[index], -1) }
        countReading(entries[index], -1)
        let last = entries.removeLast()
        guard index < entries.count else { return nil }
        entries[index] = last
        return last.job
    }

    mutating func setLevel(_ index: Int, _ level: Int) {
        if !entries[index].isHeld { count(entries[index], -1) }
        entries[index].level = level
        if !entries[index].isHeld { count(entries[index], 1) }
    }

    /// Pauses a transfer and frees its slot.
    mutating func hold(_ index: Int, until: Moment) {
        count(entries[index], -1)
        self[index].isHeld = true
        self[index].until = until
    }

    mutating func resume(_ index: Int, isProtected: Bool, now: Moment) {
        self[index].resumed(now: now)
        self[index].isProtected = isProtected
        count(entries[index], 1)
    }

    /// Returns the transfer to pause for another of `level`: the one of the lowest level below it, among equals the
    /// one that was started last.
    ///
    /// - Parameters:
    ///   - host: only transfers from this host, unless it is -1.
    ///   - hosts: their times to first byte; a transfer that is nearly done is not paused.
    func victim(below level: Int, host: Int32, _ hosts: HostRegistry, now: Moment) -> Int? {
        var victim: Int?
        for (index, entry) in entries.enumerated() {
            guard entry.isPausable, entry.level < level, host < 0 || entry.host == host
            else { continue }
            if let victim {
                let best = entries[victim]
                guard entry.level < best.level || entry.level == best.level && entry.number > best.number else {
                    continue
                }
            }
            if !entry.isNearlyDone(hosts, now: now) { victim = index }
        }
        return victim
    }

    private mutating func count(_ entry: TransferEntry, _ change: Int) {
        taken += change
        if entry.level <= JobLevel.lastLow { low += change }
        if entry.host >= 0 { onLine[max(0, entry.level)] += change }
    }

    private mutating func countReading(_ entry: TransferEntry, _ change: Int) {
        guard entry.isReading else { return }
        if entry.isStalled { stalled += change } else { reading += change }
    }
}
