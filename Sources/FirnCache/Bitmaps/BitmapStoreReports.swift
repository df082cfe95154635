public import FirnImage

/// What a ``BitmapStore`` holds, and what it did since it was made.
public struct BitmapStoreStatistics: Hashable, Sendable {
    /// Images, as far as this process knows.
    public var count: Int
    /// Bytes of their files.
    public var bytes: Int
    /// Lookups that found an image.
    public var hits: Int
    /// Lookups that found none.
    public var misses: Int
    /// Images stored.
    public var stores: Int
    /// Images removed because of a limit.
    public var evictions: Int
    /// Files removed because they were torn, damaged, foreign or of another version.
    public var damaged: Int
}

/// One image of a ``BitmapStore``, without its pixels.
public struct BitmapStoreRecord: Hashable, Sendable {
    /// Its key.
    public var key: String
    /// Its file.
    public var path: String
    /// Columns and rows.
    public var size: PixelSize
    /// Bytes of its file.
    public var fileBytes: Int
    /// When it was stored, since 1970.
    public var created: Duration
    /// When it was last known to be used, since 1970.
    public var used: Duration
}
