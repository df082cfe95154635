import FirnSync
import Synchronization

extension DataCache {
    /// A staged entry.
    struct StagedEntry {
        let entry: DataCacheEntry
        let prepared: PreparedEntry
        let done: @Sendable (DataCachingError?) -> Void
    }

    /// The staged entries and their writer.
    struct Staging {
        var writes: StagedWrites<String, StagedEntry>
        /// Arriving bodies with bytes to write.
        var arriving: [ArrivingBody] = []
        /// True while the writer's thread runs.
        var hasWriter = false
        /// True while the writer sleeps because nothing is staged.
        var isWriterIdle = false
        /// Callers waiting for room to stage more entries.
        var storing: [ThreadParker] = []
        /// Callers waiting until nothing is staged.
        var flushing: [ThreadParker] = []

        /// True if the writer's thread has nothing to write.
        var isIdle: Bool { writes.isIdle && arriving.isEmpty }

        /// Returns the callers to wake. Called sparingly, since waking costs as much as writing an entry.
        mutating func takeCalled() -> [ThreadParker] {
            var called: [ThreadParker] = []
            if writes.isEmpty { swap(&called, &flushing) }
            if !storing.isEmpty, writes.bytes <= writes.limit / 2 {
                called += storing
                storing = []
            }
            return called
        }
    }

    /// The time that an idle writer waits before it records the uses and ends, in milliseconds.
    private static let patience: Int64 = 500

    /// Stages an entry. Lookups find it from now on; the cache's own thread writes it.
    ///
    /// If as many bytes as allowed are already staged, the caller writes until there is room.
    /// - Parameter done: called once, on any thread and without a lock, with the error if the entry could not be
    ///   stored. An entry replaced or removed before it was written has no error.
    public func stage(
        _ entry: DataCacheEntry, for key: String, done: @escaping @Sendable (DataCachingError?) -> Void = { _ in }
    ) {
        stage(entry, for: key, with: nil, done: done)
    }

    /// Stages an entry, a part of whose body may be written already.
    package func stage(
        _ entry: DataCacheEntry, for key: String, with arriving: ArrivingBody?,
        done: @escaping @Sendable (DataCachingError?) -> Void
    ) {
        // Hashed here, in parallel with the writer and with other callers.
        let prepared: PreparedEntry
        do throws(DataCachingError) {
            do throws(DataFileError) { try tree.check() } catch { throw DataCachingError(error) }
            prepared = try prepare(entry, for: key, with: arriving)
        } catch { return done(error) }
        let bytes = prepared.file.size
        let staged = StagedEntry(entry: entry, prepared: prepared, done: done)
        while true {
            var replaced: StagedWrites<String, StagedEntry>.Write?
            let isTaken = staging.withLock { staging in
                guard staging.writes.hasRoom(bytes) else { return false }
                replaced = staging.writes.put(staged, for: key, bytes: bytes)
                stagedCount.store(staging.writes.count, ordering: .releasing)
                return true
            }
            replaced?.entry.done(nil)
            callWriter()
            if isTaken { return }
            // Back-pressure: a caller that exceeds the limit writes staged entries itself.
            if writeNext() { continue }
            sleep(\.storing) { !$0.writes.hasRoom(bytes) }
        }
    }

    /// Waits until all staged entries have been written or have failed, and records uses. Blocks.
    public func flush() {
        if stagedCount.load(ordering: .acquiring) > 0 || staging.withLock({ !$0.writes.isEmpty }) {
            callWriter()
            while writeNext() {}
            sleep(\.flushing) { !$0.writes.isEmpty }
        }
        writeUses()
    }

    /// Sleeps until the writer changes the state that `isBlocked` checks.
    private func sleep(_ sleepers: WritableKeyPath<Staging, [ThreadParker]>, while isBlocked: (Staging) -> Bool) {
        let parker = ThreadParker()
        while true {
            let isOver = staging.withLock { staging in
                guard isBlocked(staging) else { return true }
                staging[keyPath: sleepers].append(parker)
                return false
            }
            if isOver { return }
            if parker.park(milliseconds: DataCache.patience) { continue }
            staging.withLock { $0[keyPath: sleepers].removeAll { $0 === parker } }
            // If the writer ended or never started, this thread writes.
            writeNext()
        }
    }

    /// Returns the staged entry for a key.
    func staged(_ key: String) -> DataCacheEntry? {
        guard stagedCount.load(ordering: .acquiring) > 0 else { return nil }
        return staging.withLock { $0.writes.entry(for: key)?.entry }
    }

    /// Drops the staged entry for a key.
    func dropStaged(_ key: String) {
        guard stagedCount.load(ordering: .acquiring) > 0 else { return }
        let dropped = change { $0.writes.drop(key) }
        dropped?.entry.done(nil)
    }

    /// Drops all staged entries.
    func dropAllStaged() {
        let dropped = change { $0.writes.dropAll() }
        for write in dropped { write.entry.done(nil) }
    }

    /// Maximum number and bytes of entries written together. They share the cost of a turn. A process that ends loses
    /// at most these entries.
    private static let together = (count: 8, bytes: 1 << 20)

    /// Writes the earliest staged entries.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    private func writeNext() -> Bool {
        let writes = staging.withLock {
            $0.writes.next(
                most: min(DataCache.together.count, limits.count / 16),
                bytes: min(DataCache.together.bytes, limits.bytes / 16))
        }
        guard !writes.isEmpty else { return false }
        let failures = keep(writes.map(\.entry.prepared)) { place in
            self.staging.withLock { $0.writes.isCurrent(writes[place]) }
        }
        // Order: reported before they count as written, so that a flush ends after all reports.
        for (write, failure) in zip(writes, failures) { write.entry.done(failure.map { DataCachingError($0) }) }
        change { staging in
            for write in writes { staging.writes.finish(write) }
        }
        return true
    }

    /// Writes what has arrived of the bodies of later entries.
    ///
    /// - Returns: whether there were any.
    private func writeArriving() -> Bool {
        let bodies = staging.withLock { exchange(&$0.arriving, with: []) }
        for body in bodies { body.write() }
        return !bodies.isEmpty
    }

    /// Changes the staging state and wakes the callers waiting for it.
    private func change<Result>(_ body: (inout Staging) -> Result) -> Result {
        let (result, called) = staging.withLock { staging in
            let result = body(&staging)
            stagedCount.store(staging.writes.count, ordering: .releasing)
            return (result, staging.takeCalled())
        }
        for parker in called { parker.unpark() }
        return result
    }

    // MARK: The writer

    /// Ensures that a writer is running.
    func callWriter() {
        let (isNew, isIdle) = staging.withLock { staging in
            defer { (staging.hasWriter, staging.isWriterIdle) = (true, false) }
            return (!staging.hasWriter, staging.isWriterIdle)
        }
        guard isNew else { return isIdle ? writerParker.unpark() : () }
        if WorkerThread.start({ self.writeUntilIdle() }) { return }
        staging.withLock { staging in
            staging.hasWriter = false
            // Without a thread, these entries are written as a whole.
            staging.arriving = []
        }
        while writeNext() {}
        writeUses()
    }

    /// Runs the writer's thread. It retains the cache only while there is work.
    private func writeUntilIdle() {
        while true {
            if writeNext() || writeArriving() { continue }
            // Order: marks itself idle before the last check, so that a later caller wakes it.
            let isIdle = staging.withLock { staging in
                staging.isWriterIdle = staging.isIdle
                return staging.isWriterIdle
            }
            guard isIdle else { continue }
            let isCalled = writerParker.park(milliseconds: DataCache.patience)
            staging.withLock { $0.isWriterIdle = false }
            if isCalled { continue }
            writeUses()
            let isOver = staging.withLock { staging in
                guard staging.isIdle else { return false }
                staging.hasWriter = false
                return true
            }
            if isOver { return }
        }
    }
}
