/// Stores decoded images on disk, so that they need not be decoded again. Asked after the memory cache and before the
/// data cache.
///
/// All calls block on the disk, and may be made on any thread but the drawing one.
package protocol BitmapStoring: Sendable {
    /// Returns the image of a key. The caller checks whether its file is unchanged (``ImageContainer/sourceVersion``).
    ///
    /// - Returns: `nil` if there is no complete image, or the store fails.
    func image(for key: ImageCacheKey) -> ImageContainer?

    /// Stores an image and replaces an older one of the same key.
    ///
    /// A store may refuse previews, animations, and images above a limit without an error.
    ///
    /// - Throws: ``BitmapStoringError``; afterwards the older image is stored, or none, but no part of the new one.
    func store(_ container: ImageContainer, for key: ImageCacheKey) throws(BitmapStoringError)

    /// Removes the image of a key, if there is one.
    func remove(_ key: ImageCacheKey) throws(BitmapStoringError)

    /// Removes the images and pyramids of the keys for which `isUnwanted` returns true. Reads the header of every file.
    func removeImages(where isUnwanted: (String) -> Bool) throws(BitmapStoringError)

    /// Removes every image.
    func removeAll() throws(BitmapStoringError)

    /// Returns the pyramid of a key. The caller checks whether its source is unchanged (``PyramidSource``).
    ///
    /// - Returns: `nil` if there is no complete pyramid, or the store fails.
    func pyramid(for key: ImageCacheKey) -> (any StoredPyramid)?

    /// Begins a pyramid. ``remove(_:)`` removes it once it is complete.
    ///
    /// - Parameters:
    ///   - firstLevel: the first level with tiles.
    ///   - indexBytes: the bytes of the index by which the levels before it are decoded from the image's file.
    /// - Throws: ``BitmapStoringError`` if it is larger than ``largestPyramid``, or the disk fails.
    func makePyramid(
        of source: PyramidSource, from firstLevel: Int, indexBytes: Int, for key: ImageCacheKey
    ) throws(BitmapStoringError) -> any PyramidWriting

    /// The most bytes of a pyramid.
    var largestPyramid: Int { get }
}

/// A failure of a bitmap store, such as a full or failing disk.
package struct BitmapStoringError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path and the system's reason, in one line.
    package let message: String
    /// The system's error number; `nil` if the system reported none.
    package let code: Int32?

    /// Creates an error.
    package init(_ message: String, code: Int32? = nil) {
        self.message = message
        self.code = code
    }

    /// The message.
    package var description: String { message }
}
