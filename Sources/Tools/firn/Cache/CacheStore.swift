import Firn
import FirnReport

protocol CacheStore {
    func statistics() throws -> CacheStatistics
    /// Checks every file; see `DataCache.verify(removing:)`.
    func verify(removing: Bool) throws -> [CacheProblem]
    func removeAll() throws
    /// Removes the entries for which `isUnwanted` returns true.
    ///
    /// - Returns: the number of removed entries.
    func removeAll(where isUnwanted: (CacheRecord) -> Bool) throws -> Int
}

extension CacheStore {
    /// Removes the selected files.
    ///
    /// - Returns: the number of removed files.
    func clear(_ filter: CacheFilter, at now: Duration) throws -> Int {
        guard filter.isEmpty else {
            return try removeAll { filter.means(key: $0.key, created: $0.created, used: $0.used, at: now) }
        }
        // What cannot be counted can still be removed.
        let count = (try? statistics().count) ?? 0
        try removeAll()
        return count
    }
}

extension DataCache: CacheStore {}
extension BitmapStore: CacheStore {}

/// The stores in a cache's folder: originals, first bytes of partial bodies, decoded images.
struct CacheStores {
    let entries: DataCache
    let partial: DataCache
    let bitmaps: BitmapStore

    init(folder: String, isShared: Bool) {
        entries = DataCache(directory: folder, isShared: isShared)
        partial = entries.partialBodies
        bitmaps = BitmapStore(directory: folder, isShared: isShared)
    }

    var all: [any CacheStore] { [entries, partial, bitmaps] }

    /// Returns the counts of all stores in one line. Entries are always listed, other stores if they have some.
    static func text(_ counts: [Int]) -> String {
        let nouns = [("entry", "entries"), ("part of a body", "parts of bodies"), ("bitmap", "bitmaps")]
        return zip(nouns, counts).enumerated().compactMap { place, each in
            place == 0 || each.1 > 0 ? CountText.text(each.1, each.0.0, each.0.1) : nil
        }.joined(separator: ", ")
    }

    static func json(_ counts: [Int]) -> [(name: String, value: JSONValue)] {
        zip(["entries", "parts", "bitmaps"], counts).map { (name: $0, value: .int($1)) }
    }
}
