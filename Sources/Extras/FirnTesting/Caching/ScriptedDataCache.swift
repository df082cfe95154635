import FirnSync

/// A data cache for tests: it stores every entry in memory, records its calls, and fails on demand.
///
/// Nothing touches a disk.
public final class ScriptedDataCache: DataCaching {
    /// Keys whose entries were read and found.
    public let hits = Recorder<String>()
    /// Keys whose entries were read and not found, or whose read failed.
    public let misses = Recorder<String>()
    /// Keys of entries that were stored, failed stores included.
    ///
    /// A pipeline stores bytes after the task has ended, so a test waits for the store.
    public let stores = Recorder<String>()
    /// Keys whose entries were removed, failed removals included.
    public let removals = Recorder<String>()

    private struct State {
        var entries: [String: DataCacheEntry]
        var readError: DataCachingError?
        var writeError: DataCachingError?
    }

    private let state: Locked<State>

    /// Creates a cache that holds `entries`. Default: nothing.
    public init(_ entries: [String: DataCacheEntry] = [:]) { state = Locked(State(entries: entries)) }

    /// The entries in the cache. Reading them is not recorded.
    public var entries: [String: DataCacheEntry] { state.withLock { $0.entries } }

    /// Makes every read from now on throw `error`; `nil` makes reads succeed again.
    public func failReads(with error: DataCachingError?) { state.withLock { $0.readError = error } }

    /// Makes every store and removal from now on throw `error` and change nothing; `nil` makes them succeed again.
    public func failWrites(with error: DataCachingError?) { state.withLock { $0.writeError = error } }

    /// Returns the entry of a key, or `nil` if there is none.
    ///
    /// - Throws: the error of ``failReads(with:)``.
    public func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? {
        let (found, error) = state.withLock { ($0.readError == nil ? $0.entries[key] : nil, $0.readError) }
        (found == nil ? misses : hits).add(key)
        if let error { throw error }
        return found
    }

    /// Returns whether there is an entry. Not recorded, and never fails.
    public func contains(_ key: String) -> Bool { entries[key] != nil }

    /// Stores an entry in place of an older one of the same key.
    ///
    /// - Throws: the error of ``failWrites(with:)``; the older entry stays.
    public func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        try write(entry, for: key, stores)
    }

    /// Removes the entry of a key.
    ///
    /// - Throws: the error of ``failWrites(with:)``; the entry stays.
    public func remove(_ key: String) throws(DataCachingError) { try write(nil, for: key, removals) }

    /// Removes every entry.
    ///
    /// - Throws: the error of ``failWrites(with:)``; all entries stay.
    public func removeAll() throws(DataCachingError) { try removeEntries { _ in true } }

    /// Removes the entries of the keys for which `isUnwanted` returns true.
    ///
    /// - Throws: the error of ``failWrites(with:)``; all entries stay.
    public func removeEntries(where isUnwanted: (String) -> Bool) throws(DataCachingError) {
        for key in entries.keys.filter(isUnwanted) { try remove(key) }
    }

    private func write(
        _ entry: DataCacheEntry?, for key: String, _ recorder: Recorder<String>
    ) throws(DataCachingError) {
        let error = state.withLock { state in
            if state.writeError == nil { state.entries[key] = entry }
            return state.writeError
        }
        recorder.add(key)
        if let error { throw error }
    }
}

/// A memory cache for tests: it stores every image, records its calls, and can refuse to store images.
///
/// It evicts nothing, so a test decides what is in it. To test eviction, use `ImageCache` of the module `FirnCache`.
public final class ScriptedImageCache: ImageCaching {
    /// Keys that were looked up and found.
    public let hits = Recorder<ImageCacheKey>()
    /// Keys that were looked up and not found.
    public let misses = Recorder<ImageCacheKey>()
    /// Keys of images that were stored, refused ones included.
    public let stores = Recorder<ImageCacheKey>()
    /// Keys whose images were removed.
    public let removals = Recorder<ImageCacheKey>()

    private let state: Locked<[ImageCacheKey: ImageContainer]>
    private let refusesStores: Bool

    /// Creates a cache that holds `images`.
    ///
    /// - Parameters:
    ///   - images: the initial contents. Default: none.
    ///   - refusesStores: whether stored images are dropped, as by a full cache. Default: false.
    public init(_ images: [ImageCacheKey: ImageContainer] = [:], refusesStores: Bool = false) {
        state = Locked(images)
        self.refusesStores = refusesStores
    }

    /// The images in the cache. Reading them is not recorded.
    public var images: [ImageCacheKey: ImageContainer] { state.withLock { $0 } }

    /// The image of a key. Setting an image stores it; setting `nil` removes it.
    public subscript(key: ImageCacheKey) -> ImageContainer? {
        get {
            let found = images[key]
            (found == nil ? misses : hits).add(key)
            return found
        }
        set {
            if newValue == nil || !refusesStores { state.withLock { $0[key] = newValue } }
            (newValue == nil ? removals : stores).add(key)
        }
    }

    /// Returns the same image at other sizes, in any order. Not recorded.
    public func relatives(of key: ImageCacheKey) -> [ImageContainer] {
        images.filter { $0.key != key && $0.key.isRelative(of: key) }.map(\.value)
    }

    /// Removes every image.
    public func removeAll() { removeImages { _ in true } }

    /// Removes the images of the keys for which `isUnwanted` returns true.
    public func removeImages(where isUnwanted: (ImageCacheKey) -> Bool) {
        for key in images.keys.filter(isUnwanted) { self[key] = nil }
    }
}
