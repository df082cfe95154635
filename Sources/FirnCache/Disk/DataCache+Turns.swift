import FirnData
import FirnSync
import FoundationEssentials
import FirnSystem

extension DataCache {
    /// One process' turn to change the directory.
    struct Turn {
        /// `nil` where processes cannot take turns.
        let record: SharedRecord?
        /// What all processes hold; `nil` if that is not known.
        var usage: CacheUsage?
        /// Whether the directory was read in this turn.
        var isFresh = false
    }

    /// Name of the shared record, below the directory of the format.
    static let recordName = "usage"

    /// Does something in this process' turn. Called with the gate held.
    ///
    /// - Throws: what `body` throws, or `FileError` with `EAGAIN` if another process does not let go of its turn.
    func inTurn<Result>(
        _ gate: inout Gate, _ body: (inout Gate, inout Turn) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        var turn = try takeTurn(&gate)
        defer { turn.record?.leave() }
        return try body(&gate, &turn)
    }

    private func takeTurn(_ gate: inout Gate) throws(FileError) -> Turn {
        if !gate.triedRecord {
            gate.triedRecord = true
            gate.record = try? fileSystem.sharedRecord("\(root)/\(DataCache.recordName)")
        }
        guard let record = gate.record else { return Turn(record: nil, usage: nil) }
        do throws(FileError) {
            try record.take()
        } catch {
            switch error.code {
            case EAGAIN, EIO, EMFILE, ENFILE, ENOSPC, ENOMEM: throw error
            case ENOENT, ENOTDIR:
                gate.isScanned = false
                return Turn(record: nil, usage: nil)
            // A file system that has no locks, or a directory that may only be read.
            default:
                gate.record = nil
                return Turn(record: nil, usage: nil)
            }
        }
        do throws(FileError) {
            return Turn(record: record, usage: CacheUsage(try record.read()))
        } catch {
            record.leave()
            throw error
        }
    }

    /// Writes what all processes hold.
    func write(_ usage: CacheUsage, _ turn: inout Turn) throws(FileError) {
        guard let record = turn.record else { return turn.usage = usage }
        var usage = usage
        usage.totals.add(ledger.withLock { $0.takeCounts() })
        try record.write(usage.data)
        turn.usage = usage
    }

    /// Writes what was counted, if anything was, into a record that is there.
    func writeCounts() {
        let counted = ledger.withLock { $0.hits + $0.misses }
        gate.withLock { gate in
            guard counted != gate.writtenLookups else { return }
            try? inTurn(&gate) { (_, turn) throws(FileError) in
                if let usage = turn.usage { try write(usage, &turn) }
            }
            gate.writtenLookups = counted
        }
    }

    /// Removes a file in one's turn, if it is there, and takes it off what is held. The record is not written.
    ///
    /// Order: a process that ends here leaves a record that says too much, never too little; the next look at the directory
    /// puts it right.
    func removeCounted(_ path: String, _ turn: inout Turn) throws(FileError) {
        do throws(FileError) {
            // Its size as it is now: another process may have replaced it.
            let size = try fileSystem.status(path).size
            try fileSystem.remove(path)
            turn.usage?.remove(size)
        } catch {
            guard error.isMissing else { throw error }
        }
    }

    /// Notes that the directory was changed in this turn.
    func noteChange(_ gate: inout Gate, _ turn: inout Turn) throws(FileError) {
        guard var usage = turn.usage else { return }
        usage.changes &+= 1
        try write(usage, &turn)
        gate.follow(usage)
    }
}

extension DataCache {
    /// What the free space allows: asked once a second, or for every mebibyte written.
    struct Space {
        private static let interval: Int64 = 1_000_000_000
        private static let bytes = 1 << 20
        private var limit = Int.max
        private var asked: Int64?
        private var written = 0

        /// Most bytes that all files may have.
        mutating func limit(for size: Int, at moment: Int64, _ ask: () -> Int) -> Int {
            written += size
            let isFresh = asked.map { moment >= $0 && moment &- $0 < Space.interval } ?? false
            if !isFresh || written > Space.bytes {
                limit = ask()
                asked = moment
                written = 0
            }
            return limit
        }
    }

    /// What this process knows of the directory. Held over calls to the disk, so that files, record and index change together.
    struct Gate {
        var triedRecord = false
        /// Lookups when they were last told.
        var writtenLookups = 0
        var record: SharedRecord?
        /// Number of the last change that the index knows of; `nil` before the directory was read.
        var seen: UInt64?
        /// Changes by other processes since the directory was read.
        var unseen: UInt64 = 0
        /// What was stored since then, where there is no record.
        var driftBytes = 0
        var driftCount = 0
        var isScanned = false
        /// How full the disk was when that was last asked.
        var space = Space()
        /// Bytes of free space that were missing when others were last to be asked for some.
        var shortage = 0

        /// Whether every file is known as it is.
        func isComplete(_ usage: CacheUsage?) -> Bool {
            guard isScanned, unseen == 0 else { return false }
            guard let usage else { return true }
            return seen == usage.changes
        }

        /// This process has made the change that the record now counts.
        ///
        /// - Parameter own: how many changes that were.
        mutating func follow(_ usage: CacheUsage, own: UInt64 = 1) {
            guard let seen else { return }
            unseen &+= usage.changes &- seen &- own
            self.seen = usage.changes
        }

        /// Changes by others that this process knows nothing of.
        func missed(_ usage: CacheUsage) -> UInt64 { unseen &+ (usage.changes &- (seen ?? usage.changes)) }
    }
}
