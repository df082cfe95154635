/// Keeps decoded images in memory.
///
/// All calls return quickly and may be made on any thread.
public protocol ImageCaching: Sendable {
    /// Reads, stores, or with `nil` removes the image of a key.
    ///
    /// A cache may evict any image at any time, and may refuse to store one.
    subscript(key: ImageCacheKey) -> ImageContainer? { get nonmutating set }

    /// Returns the cached images of the same family at other sizes, in any order.
    ///
    /// Called after a miss: a larger image is scaled down, a smaller one is shown as a preview. The call does not count
    /// as a use of the images.
    ///
    /// - Returns: an empty array for a key without a family. Default: an empty array.
    func relatives(of key: ImageCacheKey) -> [ImageContainer]

    /// Removes every image.
    func removeAll()

    /// Removes the images whose keys satisfy `isUnwanted`, such as all images from one source.
    ///
    /// Default: removes every image, because the keys are not known.
    func removeImages(where isUnwanted: (ImageCacheKey) -> Bool)

    /// Called when the application is no longer visible, so that the cache can free memory. Default: does nothing.
    func didEnterBackground()
}

extension ImageCaching {
    /// Returns no images.
    public func relatives(of key: ImageCacheKey) -> [ImageContainer] { [] }

    /// Removes every image.
    public func removeImages(where isUnwanted: (ImageCacheKey) -> Bool) { removeAll() }

    /// Does nothing.
    public func didEnterBackground() {}
}
