import FirnSync
import Synchronization

/// The contents of pending stores, by the names of look-ups: what a load has returned is found before it is stored.
///
/// Order: changed under the lock of the job table, except for stores that end. It calls nothing under its own lock.
final class PendingContents: Sendable {
    private struct Contents {
        var stores: [ObjectIdentifier: PendingStore] = [:]
        var byName: [PendingStore.Name: PendingStore] = [:]

        mutating func remove(_ store: PendingStore) {
            guard stores.removeValue(forKey: ObjectIdentifier(store)) != nil else { return }
            for name in store.names where byName[name] === store { byName[name] = nil }
        }
    }

    private let contents = Locked(Contents())
    private let count = Atomic<Int>(0)

    /// True if nothing is pending, as mostly. Takes no lock.
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    func add(_ store: PendingStore) {
        change { contents in
            contents.stores[ObjectIdentifier(store)] = store
            for name in store.names { contents.byName[name] = store }
        }
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
