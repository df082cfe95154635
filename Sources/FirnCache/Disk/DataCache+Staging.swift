public import FirnData
import FirnSync
import FoundationEssentials
import Synchronization

extension DataCache {
    /// An entry that waits to be written.
    struct StagedEntry {
        let entry: DataCacheEntry
        let done: @Sendable (DataCachingError?) -> Void
    }

    /// What waits, and who writes it.
    struct Staging {
        var writes: StagedWrites<String, StagedEntry>
        /// Whether the writer's thread is there.
        var hasWriter = false
    }

    /// How long the writer stays when it has nothing to do, in milliseconds; then it notes the uses, and leaves.
    private static let patience = 500

    /// Keeps an entry soon: lookups find it from now on, and the cache's own thread writes it.
    ///
    /// Where ``DataCacheLimits/stagedBytes`` are waiting already, the caller writes some of them first.
    /// - Parameter done: called once, on any thread and without a lock: with the error if the entry could not be kept. An
    ///   entry that is replaced or removed before it was written is done without one.
    public func stage(
        _ entry: DataCacheEntry, for key: String, done: @escaping @Sendable (DataCachingError?) -> Void = { _ in }
    ) {
        let bytes = entry.data.count + key.utf8.count + 256
        while true {
            var replaced: StagedWrites<String, StagedEntry>.Write?
            let isTaken = staging.withLock { staging in
                guard staging.writes.hasRoom(bytes) else { return false }
                replaced = staging.writes.put(StagedEntry(entry: entry, done: done), for: key, bytes: bytes)
                stagedCount.store(staging.writes.count, ordering: .releasing)
                return true
            }
            replaced?.entry.done(nil)
            if isTaken { break }
            let rings = bell.count
            // All that waits is being written by others.
            if !writeNext() { bell.wait(after: rings, milliseconds: 10) }
        }
        callWriter()
    }

    /// Returns once everything that was staged is on the disk, or has failed, and uses are noted. Blocks, and helps.
    public func flush() {
        while true {
            let rings = bell.count
            if writeNext() { continue }
            if staging.withLock({ $0.writes.isEmpty }) { break }
            bell.wait(after: rings, milliseconds: 10)
        }
        writeUses()
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
        let dropped = staging.withLock { staging in
            let dropped = staging.writes.drop(key)
            stagedCount.store(staging.writes.count, ordering: .releasing)
            return dropped
        }
        dropped?.entry.done(nil)
    }

    /// Nothing of what waits is wanted.
    func dropAllStaged() {
        let dropped = staging.withLock { staging in
            let dropped = staging.writes.dropAll()
            stagedCount.store(staging.writes.count, ordering: .releasing)
            return dropped
        }
        for write in dropped { write.entry.done(nil) }
    }

    /// Writes the entry that has waited longest.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    private func writeNext() -> Bool {
        guard let write = staging.withLock({ $0.writes.next() }) else { return false }
        var failure: DataCachingError?
        do throws(DataCachingError) {
            try keep(write.entry.entry, for: write.key) {
                self.staging.withLock { $0.writes.isCurrent(write) }
            }
        } catch { failure = error }
        staging.withLock { staging in
            staging.writes.finish(write)
            stagedCount.store(staging.writes.count, ordering: .releasing)
        }
        write.entry.done(failure)
        bell.ring()
        return true
    }

    // MARK: The writer

    /// Sees to it that somebody writes.
    func callWriter() {
        let isNew = staging.withLock { staging in
            if staging.hasWriter { return false }
            staging.hasWriter = true
            return true
        }
        guard isNew else { return bell.ring() }
        if WriterThread.start({ self.writeUntilIdle() }) { return }
        staging.withLock { $0.hasWriter = false }
        flush()
    }

    /// What the writer's thread does. It holds the cache as long as there is something to do.
    private func writeUntilIdle() {
        while true {
            let rings = bell.count
            if writeNext() { continue }
            if bell.wait(after: rings, milliseconds: DataCache.patience) { continue }
            writeUses()
            let isOver = staging.withLock { staging in
                guard staging.writes.isIdle, bell.count == rings else { return false }
                staging.hasWriter = false
                return true
            }
            if isOver { return }
        }
    }
}
