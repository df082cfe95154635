import Firn
import FirnReport

/// The decoded images in a cache folder.
struct BitmapCacheStore: CacheStore {
    let store: BitmapStore

    func counted(_ count: Int) -> String { CountText.text(count, "bitmap", "bitmaps") }

    func size() throws(CacheFailure) -> StoreSize {
        try telling { () throws(BitmapStoringError) in
            let statistics = try store.statistics()
            return StoreSize(count: statistics.count, bytes: statistics.bytes)
        }
    }

    func verify(removing: Bool) throws(CacheFailure) -> [CacheProblem] {
        try telling { () throws(BitmapStoringError) in try store.verify(removing: removing) }
    }

    func clear(_ filter: CacheFilter, at now: Duration) throws(CacheFailure) -> Int {
        try telling { () throws(BitmapStoringError) in
            guard filter.isEmpty else {
                return try store.removeAll {
                    filter.means(key: $0.key, created: $0.created, used: $0.used, at: now)
                }
            }
            let count = try store.statistics().count
            try store.removeAll()
            return count
        }
    }

    private func telling<Output>(
        _ body: () throws(BitmapStoringError) -> Output
    ) throws(CacheFailure) -> Output {
        do throws(BitmapStoringError) { return try body() } catch { throw CacheFailure(message: error.message) }
    }
}
