import FirnCache
import FirnData
import FoundationEssentials
import NIOCore

/// Results on disk, in entries that prove themselves: a damaged, torn or foreign one is a miss.
struct ResultDisk: Sendable {
    private let cache: DataCache

    init(directory: String, isShared: Bool) { cache = DataCache(directory: directory, isShared: isShared) }

    func result(for key: String) -> ServedResult? {
        guard let entry = try? cache.entry(for: key), let mediaType = entry.metadata["type"],
            let entityTag = entry.metadata["tag"], let made = entry.metadata["made"].flatMap({ Int($0) })
        else { return nil }
        return ServedResult(
            body: ByteBuffer(bytes: entry.data), mediaType: mediaType, entityTag: entityTag, made: made)
    }

    /// Stores a result. A disk that is full or unreadable costs the entry, never the response.
    func store(_ result: ServedResult, for key: String) {
        let metadata = ["type": result.mediaType, "tag": result.entityTag, "made": String(result.made)]
        try? cache.store(DataCacheEntry(data: Data(result.body.readableBytesView), metadata: metadata), for: key)
    }
}
