package import FirnImage

/// What a ``BitmapStore`` holds, and what it did since it was made.
package struct BitmapStoreStatistics: Hashable, Sendable {
    /// Images, as far as this process knows.
    package var count: Int
    /// Bytes of their files.
    package var bytes: Int
    /// Lookups that found an image.
    package var hits: Int
    /// Lookups that found none.
    package var misses: Int
    /// Images stored.
    package var stores: Int
    /// Images removed because of a limit.
    package var evictions: Int
    /// Files removed because they were torn, damaged, foreign or of another version.
    package var damaged: Int
}

/// One image of a ``BitmapStore``, without its pixels.
package struct BitmapStoreRecord: Hashable, Sendable {
    /// Its key.
    package var key: String
    /// Its file.
    package var path: String
    /// Columns and rows.
    package var size: PixelSize
    /// Bytes of its file.
    package var fileBytes: Int
    /// When it was stored, since 1970.
    package var created: Duration
    /// When it was last known to be used, since 1970.
    package var used: Duration
}
