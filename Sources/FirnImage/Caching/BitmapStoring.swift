/// Keeps decoded images on disk, so that they need not be decoded again: after the memory cache, before the bytes.
///
/// All calls block on the disk: not for a thread that draws. Any thread may make them.
package protocol BitmapStoring: Sendable {
    /// The image of a key, with what was stored of it: whether its file is still the same is for the caller to ask
    /// (``ImageContainer/sourceVersion``).
    ///
    /// - Returns: `nil` if there is none, or none that is whole; a store that fails is a store that has nothing.
    func image(for key: ImageCacheKey) -> ImageContainer?

    /// Keeps an image, in place of an older one of the same key.
    ///
    /// A store may refuse images: previews, animations, what is above a limit. That is no error.
    /// - Throws: ``BitmapStoringError``; the older image, or none, is then there, and no part of the new one.
    func store(_ container: ImageContainer, for key: ImageCacheKey) throws(BitmapStoringError)

    /// Removes the image of a key, if there is one.
    func remove(_ key: ImageCacheKey) throws(BitmapStoringError)

    /// Removes every image.
    func removeAll() throws(BitmapStoringError)
}

/// A bitmap store that could not do what it was asked: a full or failing disk.
package struct BitmapStoringError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path and the system's reason, in one line.
    package let message: String
    /// The system's error number, where it was the system.
    package let code: Int32?

    /// An error.
    package init(_ message: String, code: Int32? = nil) {
        self.message = message
        self.code = code
    }

    /// The message.
    package var description: String { message }
}
