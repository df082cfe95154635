import FirnData
import FirnSync
import FoundationEssentials
import Glibc

extension DataCache {
    /// Entries that could not be removed before making room is given up.
    private static let mostStuck = 8
    /// How long what dead writers left may lie about before the directory is read for that, in nanoseconds: an hour.
    private static let scanInterval: Int64 = 3_600_000_000_000

    /// Reads the directory in one's turn where that is due: nothing is known of what it holds, or entries may have grown
    /// too old, or it was not done for long.
    func readIfDue(_ gate: inout Gate, _ turn: inout Turn, at moment: Int64) throws(FileError) {
        guard let usage = turn.usage else {
            let isDue =
                turn.record != nil || !gate.isScanned || gate.driftBytes > limits.bytes / 4
                || gate.driftCount > limits.count / 4
            return isDue ? try readDirectory(&gate, &turn, at: moment) : ()
        }
        let sinceScan = moment.subtractingReportingOverflow(usage.scanned)
        if sinceScan.overflow || sinceScan.partialValue > DataCache.scanInterval || sinceScan.partialValue < 0
            || (limits.age != nil && !gate.isScanned)
        {
            try readDirectory(&gate, &turn, at: moment)
        }
    }

    /// Removes entries until `file` may be named into place.
    func makeRoom(
        for file: DiskIndex.File, replacing older: Int?, _ gate: inout Gate, _ turn: inout Turn
    ) throws(FileError) {
        var stuck = 0
        let limit = byteLimit(for: file, &gate, turn)
        while let reason = need(for: file, replacing: older, limit, turn) {
            if reason == .room, try readBeforeEviction(&gate, &turn, at: file.used) { continue }
            let victim = ledger.withLock { ledger in
                reason == .age ? ledger.index.oldest?.id : ledger.index.leastRecent(except: file.id)
            }
            guard let victim else {
                // All that was known is gone, and still there is too much: somebody else's, or a record that says too much.
                guard !turn.isFresh else { throw FileError("make room", root, code: ENOSPC) }
                try readDirectory(&gate, &turn, at: file.used)
                continue
            }
            do throws(FileError) {
                try removeCounted(path(of: victim), &turn)
                ledger.withLock {
                    $0.index.remove(victim)
                    $0.evictions += 1
                }
            } catch {
                stuck += 1
                guard stuck < DataCache.mostStuck else { throw error }
                ledger.withLock { $0.index.skip(victim, renewedAt: file.used) }
            }
        }
    }

    private enum Need { case age, room }

    /// Why something has to go.
    private func need(for file: DiskIndex.File, replacing older: Int?, _ limit: Int, _ turn: Turn) -> Need? {
        let (oldest, bytes, count) = ledger.withLock { ($0.index.oldest, $0.index.bytes, $0.index.count) }
        if let age = limits.age, let oldest, oldest.id != file.id, isOlder(oldest.created, than: age, at: file.used) {
            return .age
        }
        let others = (turn.usage?.bytes ?? bytes) - (older ?? 0)
        let entries = (turn.usage?.count ?? count) - (older == nil ? 0 : 1)
        return others > limit - file.size || entries >= limits.count ? .room : nil
    }

    /// Reads the directory, where this process knows too little of it to tell what was not used for longest.
    ///
    /// It always knows some, and removes the least recently used of those. A look at all is worth its time if there never
    /// was one, or if others have since changed as many entries as a quarter of those that are known.
    ///
    /// - Returns: whether it was read now.
    private func readBeforeEviction(_ gate: inout Gate, _ turn: inout Turn, at moment: Int64) throws(FileError) -> Bool
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

    /// Most bytes of all files now: the limit, or less where the disk is nearly full.
    private func byteLimit(for file: DiskIndex.File, _ gate: inout Gate, _ turn: Turn) -> Int {
        guard let share = limits.freeSpaceShare else { return limits.bytes }
        return gate.space.limit(for: file.size, at: file.used) {
            guard let space = try? fileSystem.space(root) else { return limits.bytes }
            let held = turn.usage?.bytes ?? ledger.withLock { $0.index.bytes }
            let (sum, overflow) = space.free.addingReportingOverflow(held)
            return min(limits.bytes, Int(Double(overflow ? Int.max / 2 : sum) * share))
        }
    }
}
