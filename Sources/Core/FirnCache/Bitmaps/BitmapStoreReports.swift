package import FirnImage

/// The size of a ``BitmapStore``, and its counts since it was created.
package struct BitmapStoreStatistics: Hashable, Sendable {
    /// Images known to this process.
    package var count: Int
    /// Bytes of their files.
    package var bytes: Int
    /// Lookups that found an image.
    package var hits: Int
    /// Lookups that found no image.
    package var misses: Int
    /// Images that were stored.
    package var stores: Int
    /// Images that were evicted because of a limit.
    package var evictions: Int
    /// Files that were removed because they were incomplete, damaged, foreign or of another version.
    package var damaged: Int
}

/// A stored image of a ``BitmapStore``, without its pixels.
package struct BitmapStoreRecord: Hashable, Sendable {
    /// Its key.
    package var key: String
    /// Its file.
    package var path: String
    /// Columns and rows.
    package var size: PixelSize
    /// Bytes of its file.
    package var fileBytes: Int
    /// The time when it was stored, since 1970.
    package var created: Duration
    /// The time when it was last used, as far as recorded, since 1970.
    package var used: Duration
}
