public import FirnData
import FirnSync
import FoundationEssentials
import Synchronization

extension DataCache {
    /// An entry that waits to be written.
    struct StagedEntry {
        let entry: DataCacheEntry
        let prepared: PreparedEntry
        let done: @Sendable (DataCachingError?) -> Void
    }

    /// What waits, and who writes it.
    struct Staging {
        var writes: StagedWrites<String, StagedEntry>
        /// Whether the writer's thread is there.
        var hasWriter = false
        /// Whether it sleeps, since nothing waits.
        var isWriterIdle = false
        /// What callers sleep on until there is room.
        var storing: [ThreadParker] = []
        /// What callers sleep on until nothing is left.
        var flushing: [ThreadParker] = []

        /// Those who are to look again. Not after every entry: waking costs as much as writing.
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

    /// How long the writer stays when it has nothing to do, in milliseconds; then it notes the uses, and leaves.
    private static let patience: Int64 = 500

    /// Stages an entry: lookups find it from now on, and the cache's own thread writes it.
    ///
    /// Where ``DataCacheLimits/stagedBytes`` are waiting already, the caller writes until there is room.
    /// - Parameter done: called once, on any thread and without a lock: with the error if the entry could not be kept. An
    ///   entry that is replaced or removed before it was written is done without one.
    public func stage(
        _ entry: DataCacheEntry, for key: String, done: @escaping @Sendable (DataCachingError?) -> Void = { _ in }
    ) {
        // Hashed here: by as many threads as there are callers, while the one that writes writes.
        let prepared: PreparedEntry
        do throws(DataCachingError) { prepared = try prepare(entry, for: key) } catch { return done(error) }
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
            // Whoever stores more than may wait writes as well; else others would have the disk to themselves.
            if writeNext() { continue }
            sleep(\.storing) { !$0.writes.hasRoom(bytes) }
        }
    }

    /// Returns once everything that was staged is on the disk, or has failed, and uses are noted. Blocks.
    public func flush() {
        if stagedCount.load(ordering: .acquiring) > 0 || staging.withLock({ !$0.writes.isEmpty }) {
            callWriter()
            while writeNext() {}
            sleep(\.flushing) { !$0.writes.isEmpty }
        }
        writeUses()
    }

    /// Sleeps until the writer has changed something that `isBlocked` is asked about.
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
            // The writer may have gone home, or never have come; then this thread writes.
            writeNext()
        }
    }

    /// What a lookup finds of what waits.
    func staged(_ key: String) -> DataCacheEntry? {
        guard stagedCount.load(ordering: .acquiring) > 0 else { return nil }
        guard let found = staging.withLock({ $0.writes.entry(for: key)?.entry }) else { return nil }
        ledger.withLock { $0.hits += 1 }
        return found
    }

    func isStaged(_ key: String) -> Bool {
        guard stagedCount.load(ordering: .acquiring) > 0 else { return false }
        return staging.withLock { $0.writes.entry(for: key) != nil }
    }

    /// What waits for a key is no longer wanted.
    func dropStaged(_ key: String) {
        guard stagedCount.load(ordering: .acquiring) > 0 else { return }
        let dropped = change { $0.writes.drop(key) }
        dropped?.entry.done(nil)
    }

    /// Nothing of what waits is wanted.
    func dropAllStaged() {
        let dropped = change { $0.writes.dropAll() }
        for write in dropped { write.entry.done(nil) }
    }

    /// Most entries that are written together, and most of their bytes: what is done but once for all of them is little
    /// then, and a process that ends loses no more.
    private static let together = (count: 8, bytes: 1 << 20)

    /// Writes the entries that have waited longest.
    ///
    /// - Returns: whether there was one.
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
        // Order: told before they count as written, so that who waits for all finds all told.
        for (write, failure) in zip(writes, failures) { write.entry.done(failure.map { DataCachingError($0) }) }
        change { staging in
            for write in writes { staging.writes.finish(write) }
        }
        return true
    }

    /// Takes something off what waits, and calls those who are to look again.
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

    /// Sees to it that somebody writes.
    func callWriter() {
        let (isNew, isIdle) = staging.withLock { staging in
            defer { (staging.hasWriter, staging.isWriterIdle) = (true, false) }
            return (!staging.hasWriter, staging.isWriterIdle)
        }
        guard isNew else { return isIdle ? writerParker.unpark() : () }
        if WorkerThread.start({ self.writeUntilIdle() }) { return }
        staging.withLock { $0.hasWriter = false }
        while writeNext() {}
        writeUses()
    }

    /// What the writer's thread does. It holds the cache as long as there is something to do.
    private func writeUntilIdle() {
        while true {
            if writeNext() { continue }
            // Order: it says that it sleeps before it looks for the last time, so that who comes later wakes it.
            let isIdle = staging.withLock { staging in
                staging.isWriterIdle = staging.writes.isIdle
                return staging.isWriterIdle
            }
            guard isIdle else { continue }
            let isCalled = writerParker.park(milliseconds: DataCache.patience)
            staging.withLock { $0.isWriterIdle = false }
            if isCalled { continue }
            writeUses()
            let isOver = staging.withLock { staging in
                guard staging.writes.isIdle else { return false }
                staging.hasWriter = false
                return true
            }
            if isOver { return }
        }
    }
}
