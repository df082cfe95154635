import Firn
import FirnReport

/// The decoded images in a cache folder.
struct BitmapCacheStore: CacheStore {
    let store: BitmapStore

    func counted(_ count: Int) -> String { CountText.text(count, "bitmap", "bitmaps") }

    func size() throws(CacheFailure) -> StoreSize {
        do throws(BitmapStoringError) {
            let statistics = try store.statistics()
            return StoreSize(count: statistics.count, bytes: statistics.bytes)
        } catch { throw CacheFailure(error) }
    }

    func verify(removing: Bool) throws(CacheFailure) -> [CacheProblem] {
        do throws(BitmapStoringError) { return try store.verify(removing: removing) } catch {
            throw CacheFailure(error)
        }
    }

    func removeAll() throws(CacheFailure) {
        do throws(BitmapStoringError) { try store.removeAll() } catch { throw CacheFailure(error) }
    }

    func removeAll(where isUnwanted: (BitmapStoreRecord) -> Bool) throws(CacheFailure) -> Int {
        do throws(BitmapStoringError) { return try store.removeAll(where: isUnwanted) } catch {
            throw CacheFailure(error)
        }
    }
}
