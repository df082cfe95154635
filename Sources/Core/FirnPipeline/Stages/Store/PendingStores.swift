import FirnSync
import Synchronization

/// The pending stores of disk caches: their contents by the names of lookups, so that a loaded image is found before
/// it is stored; their bytes; and the callers that wait until all are written. The end of the process waits for them
/// briefly (`ExitWait`).
///
/// Order: stores are added under the lock of the job table. It calls nothing under its own lock.
final class PendingStores: Sendable {
    /// The maximum number of pending bytes. Above it the cache is too slow, and further stores are dropped.
    private static let limit = 64 << 20

    private struct Contents {
        var stores: [ObjectIdentifier: PendingStore] = [:]
        var byName: [PendingStore.Name: PendingStore] = [:]
        /// The number and the bytes of the stores that are not written yet.
        var (unwritten, bytes) = (0, 0)
        var totals = PipelineStatistics()
        var flushing: [UnsafeContinuation<Void, Never>] = []

        mutating func remove(_ store: PendingStore) {
            guard stores.removeValue(forKey: ObjectIdentifier(store)) != nil else { return }
            for name in store.names where byName[name] === store { byName[name] = nil }
        }
    }

    private let contents = Locked(Contents())
    private let count = Atomic<Int>(0)

    /// True if nothing is pending, the usual case. Takes no lock.
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// Adds a store.
    ///
    /// - Returns: false if too many bytes are pending. The first store is always accepted.
    func add(_ store: PendingStore) -> Bool {
        let size = store.content.byteCount
        let isAdded = change { contents in
            guard contents.unwritten == 0 || size <= PendingStores.limit - contents.bytes else {
                contents.totals.failedStores += 1
                return false
            }
            contents.unwritten += 1
            contents.bytes += size
            contents.stores[ObjectIdentifier(store)] = store
            for name in store.names { contents.byName[name] = store }
            return true
        }
        // Order: before the store can run, since the caller holds the lock of the job table.
        if isAdded { ExitWait.begin() }
        return isAdded
    }

    /// Notes that the content of a store is written, or will not be.
    func written(_ store: PendingStore, _ result: StoreResult) {
        ExitWait.end()
        let isBitmap = if case .bitmap = store.content { true } else { false }
        let flushed: [UnsafeContinuation<Void, Never>] = contents.withLock { contents in
            switch result {
            case .stored where isBitmap: contents.totals.bitmapStores += 1
            case .stored: contents.totals.stores += 1
            case .failed: contents.totals.failedStores += 1
            case .skipped: break
            }
            contents.unwritten -= 1
            contents.bytes -= store.content.byteCount
            if contents.unwritten > 0 { return [] }
            defer { contents.flushing = [] }
            return contents.flushing
        }
        for continuation in flushed { continuation.resume() }
    }

    /// Waits until all stores are written.
    func flush() async {
        await withUnsafeContinuation { continuation in
            let isDone = contents.withLock { contents in
                if contents.unwritten == 0 { return true }
                contents.flushing.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// Copies the numbers of stores.
    func note(in statistics: inout PipelineStatistics) {
        let totals = contents.withLock { $0.totals }
        statistics.stores = totals.stores
        statistics.bitmapStores = totals.bitmapStores
        statistics.failedStores = totals.failedStores
    }

    /// Removes a store that its cache has, or that has failed.
    func remove(_ store: PendingStore) { change { $0.remove(store) } }

    func store(_ name: PendingStore.Name) -> PendingStore? {
        isEmpty ? nil : contents.withLock { $0.byName[name] }
    }

    /// Drops stores.
    ///
    /// - Returns: the dropped stores. The caches of some may be being called.
    func drop(where isMeant: (PendingStore) -> Bool) -> [PendingStore] {
        if isEmpty { return [] }
        return change { contents in
            let dropped = contents.stores.values.filter(isMeant)
            for store in dropped {
                store.drop()
                contents.remove(store)
            }
            return dropped
        }
    }

    private func change<Result>(_ body: (inout Contents) -> Result) -> Result {
        contents.withLock { contents in
            defer { count.store(contents.stores.count, ordering: .releasing) }
            return body(&contents)
        }
    }
}
