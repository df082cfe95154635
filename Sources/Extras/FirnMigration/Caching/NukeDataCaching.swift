public import Firn
import Foundation

/// A data cache that was written for Nuke: bytes by key.
///
/// Replace `DataCaching` by `NukeDataCaching` in the type's declaration; it then is a ``/FirnData/DataCaching``. Such a
/// cache keeps bodies without response fields: entries stay fresh forever, as in Nuke, and are not revalidated.
public protocol NukeDataCaching: DataCaching {
    /// The bytes of a key; `nil` if there are none.
    func cachedData(for key: String) -> Data?
    /// Returns whether there are bytes of a key.
    func containsData(for key: String) -> Bool
    /// Keeps bytes, in place of older ones.
    func storeData(_ data: Data, for key: String)
    /// Removes the bytes of a key.
    func removeData(for key: String)
    /// Removes everything.
    func removeAll()
}

extension NukeDataCaching {
    /// Returns the bytes of a key, without header fields.
    public func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? {
        cachedData(for: key).map { DataCacheEntry(data: $0) }
    }

    /// Returns whether there are bytes of a key.
    public func contains(_ key: String) -> Bool { containsData(for: key) }

    /// Keeps the bytes of an entry; its header fields and metadata are dropped.
    public func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        storeData(entry.data, for: key)
    }

    /// Removes the bytes of a key.
    public func remove(_ key: String) throws(DataCachingError) { removeData(for: key) }
}
