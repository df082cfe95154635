public import FirnImage

/// A memory cache for tests: it stores every image, counts its calls, and can refuse to store images.
///
/// It evicts nothing, so a test decides what is in it. To test eviction, use `ImageCache` of the module `FirnCache`.
public final class ScriptedImageCache: ImageCaching {
    /// The calls so far, in order.
    public struct Record: Sendable {
        /// Keys that were looked up and found.
        public internal(set) var hits: [ImageCacheKey] = []
        /// Keys that were looked up and not found.
        public internal(set) var misses: [ImageCacheKey] = []
        /// Keys of images that were stored, refused ones included.
        public internal(set) var stores: [ImageCacheKey] = []
        /// Keys that were removed one by one.
        public internal(set) var removals: [ImageCacheKey] = []
        /// Calls of ``ScriptedImageCache/removeAll()``.
        public internal(set) var clears = 0
        /// Calls of ``ScriptedImageCache/didEnterBackground()``.
        public internal(set) var backgrounds = 0
    }

    private struct State: Sendable {
        var images: [ImageCacheKey: ImageContainer]
        var record = Record()
    }

    private let state: Watched<State>
    private let refusesStores: Bool

    /// Creates a cache that holds `images`.
    ///
    /// - Parameters:
    ///   - images: the initial contents. Default: none.
    ///   - refusesStores: whether stored images are dropped, as by a full cache. Default: false.
    public init(_ images: [ImageCacheKey: ImageContainer] = [:], refusesStores: Bool = false) {
        state = Watched(State(images: images))
        self.refusesStores = refusesStores
    }

    /// The calls so far.
    public var record: Record { state.value.record }

    /// The images in the cache. Reading them is not recorded.
    public var images: [ImageCacheKey: ImageContainer] { state.value.images }

    /// Waits until the record satisfies a condition, and returns it as it then was.
    ///
    /// The condition must not use the cache.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable (Record) -> Bool) async -> Record {
        await state.wait { isReached($0.record) }.record
    }

    /// The image of a key. Setting an image stores it; setting `nil` removes it.
    public subscript(key: ImageCacheKey) -> ImageContainer? {
        get {
            state.update { state in
                let found = state.images[key]
                if found == nil { state.record.misses.append(key) } else { state.record.hits.append(key) }
                return found
            }
        }
        set {
            state.update { state in
                guard let newValue else {
                    state.images[key] = nil
                    state.record.removals.append(key)
                    return
                }
                if !refusesStores { state.images[key] = newValue }
                state.record.stores.append(key)
            }
        }
    }

    /// Returns the same image at other sizes, in any order. Not recorded.
    public func relatives(of key: ImageCacheKey) -> [ImageContainer] {
        state.value.images.filter { $0.key != key && $0.key.isRelative(of: key) }.map(\.value)
    }

    /// Removes every image.
    public func removeAll() {
        state.update { state in
            state.images = [:]
            state.record.clears += 1
        }
    }

    /// Removes the images of the keys for which `isUnwanted` returns true. Recorded as removals one by one.
    public func removeImages(where isUnwanted: (ImageCacheKey) -> Bool) {
        let unwanted = state.value.images.keys.filter(isUnwanted)
        for key in unwanted { self[key] = nil }
    }

    /// Records the call and keeps every image.
    public func didEnterBackground() { state.update { $0.record.backgrounds += 1 } }
}
