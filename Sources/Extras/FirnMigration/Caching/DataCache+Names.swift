public import Foundation

// Nuke's names. As in Nuke, they report no errors. Calls that read block on the disk.
extension DataCache {
    /// Creates a cache in a directory, given as a file URL.
    ///
    /// - Throws: ``/FirnData/DataCachingError`` if `path` is not a file URL.
    public convenience init(path: URL) throws {
        guard path.isFileURL else { throw DataCachingError("\(path): a data cache needs a file URL") }
        self.init(directory: path)
    }

    /// The directory.
    public var path: URL { URL(fileURLWithPath: folder, isDirectory: true) }

    /// The bytes of a key. Setting returns at once; the bytes are written later.
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

    /// Stores bytes. Returns at once; they are written later.
    public func storeData(_ data: Data, for key: String) {
        stage(DataCacheEntry(data: data), for: key) { _ in }
    }

    /// Removes the bytes of a key.
    public func removeData(for key: String) { try? remove(key) }

    /// The number of entries; 0 if the directory cannot be read.
    public var totalCount: Int { (try? statistics().count) ?? 0 }

    /// The bytes of all entries, with their headers; 0 if the directory cannot be read.
    public var totalSize: Int { (try? statistics().bytes) ?? 0 }

    /// The bytes of all entries, not rounded to blocks of the file system.
    public var totalAllocatedSize: Int { totalSize }

    /// Waits until all staged entries are on disk.
    public func flush(for key: String) { flush() }
}

/// A data cache that was written for Nuke: bytes by key.
///
/// Replace `DataCaching` by `NukeDataCaching` in the type's declaration; it then is a ``/FirnData/DataCaching``. Such a
/// cache stores bodies without response fields: as in Nuke, entries stay fresh forever and are not revalidated.
public protocol NukeDataCaching: DataCaching {
    /// The bytes of a key; `nil` if there are none.
    func cachedData(for key: String) -> Data?
    /// Returns whether there are bytes of a key.
    func containsData(for key: String) -> Bool
    /// Stores bytes, in place of older ones.
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

    /// Stores the bytes of an entry. Its header fields and metadata are dropped.
    public func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        storeData(entry.data, for: key)
    }

    /// Removes the bytes of a key.
    public func remove(_ key: String) throws(DataCachingError) { removeData(for: key) }
}

// Nuke's names of the limits.
extension ImageCache {
    /// The share of the cost limit that one image may have, from 0 to 1. Default: 0.25; Nuke's is 0.1.
    public var entryCostLimit: Double {
        get { limits.bytes > 0 ? Double(limits.entryBytes) / Double(limits.bytes) : 0 }
        set { limits.entryBytes = Int(Double(limits.bytes) * (newValue > 0 ? min(1, newValue) : 0)) }
    }

    /// The bytes of the images in the cache.
    public var totalCost: Int { statistics.bytes }

    /// The number of images in the cache.
    public var totalCount: Int { statistics.count }

    /// The cost limit of a new cache.
    public static func defaultCostLimit() -> Int { defaultCostLimit }
}

extension ImageCaching {
    /// The image of a request. Setting an image stores it, setting `nil` removes it.
    public subscript(request: ImageRequest) -> ImageContainer? {
        get { self[ImageCacheKey(request: request)] }
        nonmutating set { self[ImageCacheKey(request: request)] = newValue }
    }

    /// The image of a URL. Setting an image stores it, setting `nil` removes it.
    public subscript(url: URL) -> ImageContainer? {
        get { self[ImageRequest(url: url)] }
        nonmutating set { self[ImageRequest(url: url)] = newValue }
    }
}

extension ImageCacheKey {
    /// Creates a key with this name.
    public init(key: String) { self.init(key) }
}

extension ImagePipeline.Cache {
    /// Returns the bytes of a request on disk.
    @_disfavoredOverload
    public func cachedData(for request: ImageRequest) -> Data? {
        let entry: DataCacheEntry? = cachedData(for: request)
        return entry?.data
    }

    /// Stores bytes on disk as if they had been loaded. A failed write is ignored.
    public func storeCachedData(_ data: Data, for request: ImageRequest) {
        try? storeCachedData(DataCacheEntry(data: data), for: request)
    }
}
