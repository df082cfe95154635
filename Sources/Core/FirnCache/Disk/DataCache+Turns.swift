import FirnSync
import FirnSystem

extension DataCache {
    /// A process's turn to change the directory.
    struct Turn {
        /// `nil` if processes cannot take turns.
        let record: (any SharedRecord)?
        /// The usage by all processes; `nil` if unknown.
        var usage: CacheUsage?
        /// True if the directory was read in this turn.
        var isFresh = false
    }

    /// The name of the shared record, in the directory of the format.
    static let recordName = "usage"

    /// Runs `body` in this process's turn. Called with the gate held.
    ///
    /// - Throws: the error of `body`, or `DataFileError` with `EAGAIN` if another process does not end its turn.
    func inTurn<Result>(
        _ gate: inout Gate, _ body: (inout Gate, inout Turn) throws(DataFileError) -> Result
    ) throws(DataFileError) -> Result {
        try tree.check()
        var turn = try takeTurn(&gate)
        defer { turn.record?.leave() }
        return try body(&gate, &turn)
    }

    /// Runs `body` with the gate held, in this process's turn.
    func inTurn<Result>(
        _ body: (inout Gate, inout Turn) throws(DataFileError) -> Result
    ) throws(DataFileError) -> Result {
        try gate.withLock { (gate: inout Gate) throws(DataFileError) in try inTurn(&gate, body) }
    }

    private func takeTurn(_ gate: inout Gate) throws(DataFileError) -> Turn {
        if !gate.triedRecord {
            gate.triedRecord = true
            gate.record = try? fileSystem.sharedRecord("\(tree.root)/\(DataCache.recordName)")
        }
        guard let record = gate.record else { return Turn(record: nil, usage: nil) }
        do throws(DataFileError) {
            try record.take()
        } catch {
            switch error.code {
            case EAGAIN, EIO, EMFILE, ENFILE, ENOSPC, ENOMEM: throw error
            case ENOENT, ENOTDIR:
                gate.isScanned = false
                return Turn(record: nil, usage: nil)
            // A file system without locks, or a read-only directory.
            default:
                gate.record = nil
                return Turn(record: nil, usage: nil)
            }
        }
        do throws(DataFileError) {
            return Turn(record: record, usage: CacheUsage(try record.read()))
        } catch {
            record.leave()
            throw error
        }
    }

    /// Writes the usage by all processes.
    func write(_ usage: CacheUsage, _ turn: inout Turn) throws(DataFileError) {
        guard let record = turn.record else { return turn.usage = usage }
        var usage = usage
        usage.totals.add(ledger.withLock { $0.takeCounts() })
        try record.write(usage.data)
        turn.usage = usage
    }

    /// Writes new counts to an existing record.
    func writeCounts() {
        let counted = ledger.withLock { $0.counts.hits + $0.counts.misses }
        gate.withLock { gate in
            guard counted != gate.writtenLookups else { return }
            try? inTurn(&gate) { (_, turn) throws(DataFileError) in
                if let usage = turn.usage { try write(usage, &turn) }
            }
            gate.writtenLookups = counted
        }
    }

    /// Removes a file during a turn, if it exists, and subtracts it from the usage. Does not write the record.
    ///
    /// Order: a process that ends here leaves a record that overestimates, never underestimates. The next read of the
    /// directory corrects it.
    func removeCounted(_ path: String, _ turn: inout Turn) throws(DataFileError) {
        _ = try tree.ifThere { () throws(DataFileError) in
            // The current size, since another process may have replaced the file.
            let status = try fileSystem.status(path)
            // Anything but a file was never counted.
            guard status.isRegular else { return try fileSystem.removeAny(path) }
            try fileSystem.remove(path)
            turn.usage?.remove(status.size)
        }
    }

    /// Records that the directory was changed in this turn.
    func noteChange(_ gate: inout Gate, _ turn: inout Turn) throws(DataFileError) {
        guard var usage = turn.usage else { return }
        usage.changes &+= 1
        try write(usage, &turn)
        gate.follow(usage)
    }

    // MARK: Uses

    // Uses of entries are recorded on disk for other and later processes, rarely and in batches.

    /// The number of uses at which the writer is woken to record them.
    private static let maximumUses = 256

    func noteUse(_ id: EntryID, _ status: FileStatus, created: Int64, at moment: Int64) {
        let isDue = status.modified.isOlder(than: limits.useInterval.nanoseconds, at: moment)
        let isFirst = ledger.withLock { ledger in
            ledger.use(id, status, created: created, at: moment)
            guard isDue else { return false }
            ledger.uses[id] = moment
            return ledger.uses.count == 1 || ledger.uses.count == DataCache.maximumUses
        }
        if isFirst { callWriter() }
    }

    /// Records the pending uses. Ignores failures, since a read-only directory remains readable.
    func writeUses() {
        let uses = ledger.withLock { ledger in
            let uses = ledger.uses
            ledger.uses = [:]
            return uses
        }
        guard (try? tree.check()) != nil else { return }
        for (id, moment) in uses.sorted(by: { $0.value < $1.value }) {
            try? fileSystem.touch(tree.path(of: id), modified: moment)
        }
        writeCounts()
    }

    /// The limit due to free space, updated every second and for every mebibyte written.
    struct Space {
        private static let interval: Int64 = 1_000_000_000
        private static let bytes = 1 << 20
        private var limit = Int.max
        private var asked: Int64?
        private var written = 0

        /// Returns the byte limit of all files.
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

    /// The state of the directory as this process knows it. Held during disk access, so that files, record and index
    /// change together.
    struct Gate {
        var triedRecord = false
        /// The number of lookups when the counts were last written.
        var writtenLookups: UInt64 = 0
        var record: (any SharedRecord)?
        /// The number of the last change in the index; `nil` before the directory was read.
        var seen: UInt64?
        /// Changes by other processes since the directory was read.
        var unseen: UInt64 = 0
        /// Bytes stored since then without a record.
        var driftBytes = 0
        var driftCount = 0
        var isScanned = false
        /// The free space at its last update.
        var space = Space()
        /// The missing free space when other caches were last asked to free some, in bytes.
        var shortage = 0

        /// Returns whether the index is exact.
        func isComplete(_ usage: CacheUsage?) -> Bool {
            guard isScanned, unseen == 0 else { return false }
            guard let usage else { return true }
            return seen == usage.changes
        }

        /// Records that this process made the change that the record now includes.
        ///
        /// - Parameter own: the number of changes.
        mutating func follow(_ usage: CacheUsage, own: UInt64 = 1) {
            guard let seen else { return }
            unseen &+= usage.changes &- seen &- own
            self.seen = usage.changes
        }

        /// Returns the number of unseen changes by other processes.
        func missed(_ usage: CacheUsage) -> UInt64 { unseen &+ (usage.changes &- (seen ?? usage.changes)) }
    }
}
