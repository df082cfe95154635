public import Firn
import Foundation

// Nuke's names. Like Nuke's they report no error; calls that read block on the disk.
extension DataCache {
    /// A cache in a directory, given as a file URL.
    ///
    /// - Throws: ``/FirnData/DataCachingError`` if `path` is no file URL.
    public convenience init(path: URL) throws {
        guard path.isFileURL else { throw DataCachingError("\(path): a data cache needs a file URL") }
        self.init(directory: path.path)
    }

    /// The directory.
    public var path: URL { URL(fileURLWithPath: directory, isDirectory: true) }

    /// Most bytes on disk. Default: 256 MiB; Nuke's is 150 MiB. A lower limit holds from the next store on.
    public var sizeLimit: Int {
        get { limits.bytes }
        set { limits.bytes = max(0, newValue) }
    }

    /// The bytes of a key; setting returns at once, and the bytes are written later.
    public subscript(key: String) -> Data? {
        get { cachedData(for: key) }
        set {
            if let newValue { storeData(newValue, for: key) } else { removeData(for: key) }
        }
    }

    /// The bytes of a key; `nil` if there are none, or if the disk failed.
    public func cachedData(for key: String) -> Data? { try? entry(for: key)?.data }

    /// Returns whether there are bytes of a key.
    public func containsData(for key: String) -> Bool { contains(key) }

    /// Keeps bytes; returns at once.
    public func storeData(_ data: Data, for key: String) {
        stage(DataCacheEntry(data: data), for: key) { _ in }
    }

    /// Removes the bytes of a key.
    public func removeData(for key: String) { try? remove(key) }

    /// Number of entries; 0 if the directory cannot be read.
    public var totalCount: Int { (try? statistics().count) ?? 0 }

    /// Bytes of all entries, headers included; 0 if the directory cannot be read.
    public var totalSize: Int { (try? statistics().bytes) ?? 0 }

    /// Bytes of all entries; blocks of the file system are not counted.
    public var totalAllocatedSize: Int { totalSize }

    /// Waits until the entry of a key, and what else waits to be written, is on disk.
    public func flush(for key: String) { flush() }
}

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
