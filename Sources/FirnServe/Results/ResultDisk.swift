import FirnCache
import FirnData
import FoundationEssentials

/// Results on disk, in entries that prove themselves: a damaged, torn or foreign one is a miss.
struct ResultDisk: Sendable {
    private let cache: DataCache

    init(directory: String) { cache = DataCache(directory: directory) }

    func result(for key: String) -> ServedResult? {
        guard let entry = try? cache.entry(for: key), let mediaType = entry.metadata["type"],
            let entityTag = entry.metadata["tag"]
        else { return nil }
        return ServedResult(
            data: entry.data, mediaType: mediaType, entityTag: entityTag,
            width: entry.metadata["width"].flatMap { Int($0) },
            height: entry.metadata["height"].flatMap { Int($0) })
    }

    /// Stores a result. A disk that is full or unreadable costs the entry, never the response.
    func store(_ result: ServedResult, for key: String) {
        var metadata = ["type": result.mediaType, "tag": result.entityTag]
        metadata["width"] = result.width.map { String($0) }
        metadata["height"] = result.height.map { String($0) }
        try? cache.store(DataCacheEntry(data: result.data, metadata: metadata), for: key)
    }
}
