import FirnSync

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
