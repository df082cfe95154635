/// Keeps decoded images in memory.
///
/// All calls return quickly and may be made on any thread; a hit is answered on the caller's.
public protocol ImageCaching: Sendable {
    /// The image of a key; setting keeps an image, setting `nil` removes it.
    ///
    /// A cache may let go of any image at any time, and may refuse to keep one.
    subscript(key: ImageCacheKey) -> ImageContainer? { get nonmutating set }

    /// Returns the cached images of a key's family without the key's own: the same image at other sizes, in no order.
    ///
    /// Asked where a key was not found. A larger image then serves in its place, a smaller one is shown until it is there.
    /// It is no use of the images: their places in an order of use stay.
    /// - Returns: nothing for a key without family. A cache need not know: by default there is nothing.
    func relatives(of key: ImageCacheKey) -> [ImageContainer]

    /// Removes every image.
    func removeAll()

    /// Called when the application is no longer visible: drops what is not worth its memory meanwhile. Default:
    /// nothing.
    func didEnterBackground()
}

extension ImageCaching {
    /// The default knows none.
    public func relatives(of key: ImageCacheKey) -> [ImageContainer] { [] }

    /// Drops nothing.
    public func didEnterBackground() {}
}
