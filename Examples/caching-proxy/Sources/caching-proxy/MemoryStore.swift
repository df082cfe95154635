import FirnHTTP
import FoundationEssentials
import Synchronization

/// Keeps entries in memory up to a number of bytes; evicts the oldest.
final class MemoryStore: DataCaching {
    private struct State {
        var entries: [String: DataCacheEntry] = [:]
        var order: [String] = []
        var bytes = 0

        mutating func remove(_ key: String) {
            guard let entry = entries.removeValue(forKey: key) else { return }
            bytes -= entry.data.count
            order.removeAll { $0 == key }
        }
    }

    private let limit = 256 << 20
    private let state = Mutex(State())

    func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? { state.withLock { $0.entries[key] } }

    func contains(_ key: String) -> Bool { state.withLock { $0.entries[key] != nil } }

    func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        state.withLock { state in
            state.remove(key)
            state.entries[key] = entry
            state.order.append(key)
            state.bytes += entry.data.count
            while state.bytes > limit, let oldest = state.order.first { state.remove(oldest) }
        }
    }

    func remove(_ key: String) throws(DataCachingError) { state.withLock { $0.remove(key) } }

    func removeAll() throws(DataCachingError) { state.withLock { $0 = State() } }
}
