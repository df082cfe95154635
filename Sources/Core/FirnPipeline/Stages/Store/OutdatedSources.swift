import FirnSync
import Synchronization

/// The sources whose images on disk are of an older version, until they are removed there. Look-ups do not use them.
final class OutdatedSources: Sendable {
    private let keys = Locked<Set<String>>([])
    private let count = Atomic<Int>(0)

    /// True if there are none, as mostly. Takes no lock.
    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// Returns whether the images of the source with this key of the data cache are of an older version.
    func contains(_ key: String) -> Bool { !isEmpty && keys.withLock { $0.contains(key) } }

    func add(_ key: String) { change { $0.insert(key) } }

    /// All sources, which one reading of the disk can remove.
    var all: Set<String> { isEmpty ? [] : keys.withLock { $0 } }

    func remove(_ removed: Set<String>) { change { $0.subtract(removed) } }

    private func change(_ body: (inout Set<String>) -> Void) {
        keys.withLock { keys in
            body(&keys)
            count.store(keys.count, ordering: .releasing)
        }
    }
}

/// The images that were made of the bytes that a reload replaces. Shared by the jobs of the reload, of which the first
/// that ends with new bytes removes them.
final class OldVersion: Sendable {
    private let isTaken = Atomic<Bool>(false)

    /// Returns true to the first caller.
    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
