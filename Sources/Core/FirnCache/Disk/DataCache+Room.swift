import FirnSync
import FirnSystem

extension DataCache {
    /// Maximum number of failed removals before making room fails.
    private static let maximumStuck = 8
    /// The interval for finding leftovers of dead writers, in nanoseconds: one hour.
    private static let scanInterval: Int64 = 3_600_000_000_000

    /// Reads the directory during a turn if its content is unknown, if entries may have expired, or if the last read
    /// was long ago.
    func readIfDue(_ gate: inout Gate, _ turn: inout Turn, at moment: Int64) throws(DataFileError) {
        guard let usage = turn.usage else {
            let isDue =
                turn.record != nil || !gate.isScanned || gate.driftBytes > limits.bytes / 4
                || gate.driftCount > limits.count / 4
            return isDue ? try readDirectory(&gate, &turn, at: moment) : ()
        }
        let isRecent = (0...DataCache.scanInterval).contains(moment.saturatingSubtract(usage.scanned))
        if !isRecent || limits.age != nil && !gate.isScanned { try readDirectory(&gate, &turn, at: moment) }
    }

    /// The call named in the error for a disk without enough free space, unless other caches free some.
    static let shortOfSpace = "make room"

    /// Returns whether several files can get their final names without evictions.
    func hasRoom(for drafts: [Draft], _ gate: inout Gate, _ turn: Turn) -> Bool {
        guard drafts.count > 1, let moment = drafts.first?.file.used,
            Set(drafts.map(\.file.id)).count == drafts.count
        else { return false }
        let size = drafts.reduce(0) { $0 + $1.file.size }
        let limit = byteLimit(for: size, at: moment, &gate, turn)
        let (oldest, bytes, count) = ledger.withLock { ($0.index.oldest, $0.index.bytes, $0.index.count) }
        if let age = limits.age, let oldest, oldest.created.isOlder(than: age.nanoseconds, at: moment) { return false }
        return (turn.usage?.bytes ?? bytes) <= limit - size
            && (turn.usage?.count ?? count) <= limits.count - drafts.count
    }

    /// Evicts entries until `file` may get its final name.
    ///
    /// - Parameter reclaimsFirst: whether other caches free space first if the disk is nearly full. They must not be
    ///   called under locks, so in this case the method throws ``shortOfSpace``.
    func makeRoom(
        for file: DiskIndex.File, replacing older: Int?, reclaimsFirst: Bool, _ gate: inout Gate, _ turn: inout Turn
    ) throws(DataFileError) {
        var stuck = 0
        let limit = byteLimit(for: file.size, at: file.used, &gate, turn)
        while let reason = need(for: file, replacing: older, limit, turn) {
            if reason == .room, reclaimsFirst, let missing = missingSpace(file, older, limit, turn) {
                gate.shortage = missing
                throw DataFileError(DataCache.shortOfSpace, tree.root, code: EDQUOT)
            }
            if reason == .room, try readBeforeEviction(&gate, &turn, at: file.used) { continue }
            let victim = ledger.withLock { ledger in
                reason == .age ? ledger.index.oldest?.id : ledger.index.leastRecent(except: file.id)
            }
            guard let victim else {
                // All known entries were removed, but the limit is still exceeded, by unknown files or an
                // overestimating record.
                guard !turn.isFresh else { throw DataFileError("make room", tree.root, code: ENOSPC) }
                try readDirectory(&gate, &turn, at: file.used)
                continue
            }
            do throws(DataFileError) {
                try removeCounted(tree.path(of: victim), &turn)
                ledger.withLock {
                    $0.index.remove(victim)
                    $0.counts.evictions += 1
                }
            } catch {
                stuck += 1
                guard stuck < DataCache.maximumStuck else { throw error }
                ledger.withLock { $0.index.skip(victim, renewedAt: file.used) }
            }
        }
    }

    private enum Need { case age, room }

    /// Returns why room is needed; `nil` if there is enough.
    private func need(for file: DiskIndex.File, replacing older: Int?, _ limit: Int, _ turn: Turn) -> Need? {
        let (oldest, bytes, count) = ledger.withLock { ($0.index.oldest, $0.index.bytes, $0.index.count) }
        if let age = limits.age, let oldest, oldest.id != file.id,
            oldest.created.isOlder(than: age.nanoseconds, at: file.used)
        {
            return .age
        }
        let others = (turn.usage?.bytes ?? bytes) - (older ?? 0)
        let entries = (turn.usage?.count ?? count) - (older == nil ? 0 : 1)
        return others > limit - file.size || entries >= limits.count ? .room : nil
    }

    /// Returns how many bytes of free space `file` lacks, if nothing else prevents storing it.
    private func missingSpace(_ file: DiskIndex.File, _ older: Int?, _ limit: Int, _ turn: Turn) -> Int? {
        guard let share = limits.freeSpaceShare, share > 0, limit < limits.bytes else { return nil }
        guard need(for: file, replacing: older, limits.bytes, turn) == nil else { return nil }
        let others = (turn.usage?.bytes ?? ledger.withLock { $0.index.bytes }) - (older ?? 0)
        return Int(saturating: Double(others - limit + file.size) / share)
    }

    /// Reads the directory if this process knows too little to find the least recently used entry.
    ///
    /// It always knows some entries and evicts the least recently used of those. Reading the whole directory is
    /// worthwhile if that never happened, or if other processes have since changed a quarter as many entries as are
    /// known.
    ///
    /// - Returns: whether the directory was read.
    private func readBeforeEviction(_ gate: inout Gate, _ turn: inout Turn, at moment: Int64) throws(DataFileError)
        -> Bool
    {
        guard !turn.isFresh else { return false }
        if gate.isScanned {
            guard let usage = turn.usage else { return false }
            let known = ledger.withLock { $0.index.count }
            guard gate.missed(usage) > UInt64(max(64, known / 4)) else { return false }
        }
        try readDirectory(&gate, &turn, at: moment)
        return true
    }

    /// Returns the current byte limit of all files, lower if the disk is nearly full.
    private func byteLimit(for size: Int, at moment: Int64, _ gate: inout Gate, _ turn: Turn) -> Int {
        guard let share = limits.freeSpaceShare else { return limits.bytes }
        return gate.space.limit(for: size, at: moment) {
            let held = turn.usage?.bytes ?? ledger.withLock { $0.index.bytes }
            return tree.byteLimit(limits.bytes, freeSpaceShare: share, held: held)
        }
    }

    /// Rebuilds the index, corrects the record, and removes leftovers of dead writers. Called during a turn.
    func readDirectory(_ gate: inout Gate, _ turn: inout Turn, at moment: Int64) throws(DataFileError) {
        let files = try DiskIndex.scan(tree, at: moment, created: created)
        let (bytes, count) = ledger.withLock { ledger in
            ledger.index = DiskIndex(files, known: ledger.index)
            ledger.isIndexed = true
            return (ledger.index.bytes, ledger.index.count)
        }
        gate.isScanned = true
        (gate.driftBytes, gate.driftCount) = (0, 0)
        turn.isFresh = true
        guard turn.record != nil else { return }
        // Order: counted as a change, so that other processes check their sizes: they may know entries removed by a
        // process that ended before updating the record.
        let changes = (turn.usage?.changes ?? UInt64.random(in: 0 ... .max / 2)) &+ 1
        (gate.seen, gate.unseen) = (changes, 0)
        let totals = turn.usage?.totals ?? DataCacheTotals()
        try write(CacheUsage(bytes: bytes, count: count, changes: changes, scanned: moment, totals: totals), &turn)
    }

    /// Returns when an entry was stored, according to its header. Reads it only if there is an age limit.
    private func created(_ path: String) -> Int64? {
        guard limits.age != nil, let start = try? fileSystem.read(path, first: EntryFormat.fixedLength) else {
            return nil
        }
        return start.withUnsafeBytes { EntryFormat.created($0) }
    }
}
