@_exported public import struct FoundationEssentials.Data

/// Stores data between launches.
///
/// All calls block on disk I/O. The engine makes them on its workers, concurrently.
public protocol DataCaching: Sendable {
    /// Returns the entry for a key, or `nil` if there is no intact entry.
    ///
    /// - Throws: ``DataCachingError`` if the disk failed. A missing or damaged entry is `nil`, not an error.
    func entry(for key: String) throws(DataCachingError) -> DataCacheEntry?

    /// Returns whether an entry exists. May be wrong for damaged entries, since the entry is not read.
    func contains(_ key: String) -> Bool

    /// Stores an entry and replaces an older one of the same key.
    ///
    /// - Throws: ``DataCachingError``. An older entry then remains, and nothing of the new one.
    func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError)

    /// Stores an entry in the background. Lookups find it from now on.
    ///
    /// Blocks only while too many entries are staged. The default implementation calls ``store(_:for:)`` at once.
    /// - Parameter done: called once, on any thread and without a lock, with the error if the entry could not be
    ///   stored.
    func stage(_ entry: DataCacheEntry, for key: String, done: @escaping @Sendable (DataCachingError?) -> Void)

    /// Removes the entry of a key, if it exists.
    ///
    /// - Throws: ``DataCachingError``. The entry may then remain.
    func remove(_ key: String) throws(DataCachingError)

    /// Removes all entries.
    ///
    /// - Throws: ``DataCachingError``. Some entries may then remain.
    func removeAll() throws(DataCachingError)

    /// Removes the entries whose keys `isUnwanted` accepts, such as all results of one source.
    ///
    /// Default: removes nothing, for caches that do not know their keys.
    /// - Throws: ``DataCachingError``. Some entries may then remain.
    func removeEntries(where isUnwanted: (String) -> Bool) throws(DataCachingError)
}

extension DataCaching {
    /// Removes nothing.
    public func removeEntries(where isUnwanted: (String) -> Bool) throws(DataCachingError) {}

    /// Stores the entry on the caller's thread.
    public func stage(
        _ entry: DataCacheEntry, for key: String, done: @escaping @Sendable (DataCachingError?) -> Void
    ) {
        do throws(DataCachingError) {
            try store(entry, for: key)
            done(nil)
        } catch { done(error) }
    }
}

/// The data of a cache entry, with header fields and metadata.
public struct DataCacheEntry: Sendable {
    /// The body.
    public var data: Data
    /// The header fields of the body's response.
    public var headers: HTTPHeaderFields
    /// Further values stored with the body, under short names. A cache does not interpret them.
    ///
    /// HTTP caching stores the time of the response and its request here.
    public var metadata: [String: String]

    /// Creates an entry.
    public init(data: Data, headers: HTTPHeaderFields = HTTPHeaderFields(), metadata: [String: String] = [:]) {
        self.data = data
        self.headers = headers
        self.metadata = metadata
    }
}

/// The error of a data cache. Reported as an event; it never fails a load.
public struct DataCachingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation, its path and the system's message, on one line.
    public let message: String
    /// The system's error number, if there is one.
    public let code: Int32?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - message: the operation, its path and the system's message, on one line.
    ///   - code: the system's error number. Default: none.
    public init(_ message: String, code: Int32? = nil) {
        self.message = message
        self.code = code
    }

    /// The message.
    public var description: String { message }

    /// True if the whole cache folder is refused, so that every call fails.
    package var isRefusal: Bool { code.map(DataFileError.refusals.contains) ?? false }
}
