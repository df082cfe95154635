public import FoundationEssentials

/// Stores data between launches.
///
/// All calls block on the disk and are made on the engine's workers; any number at once.
public protocol DataCaching: Sendable {
    /// The entry of a key, or `nil` if there is none that is whole.
    ///
    /// - Throws: ``DataCachingError`` if the disk failed; a missing or damaged entry is `nil`, not an error.
    func entry(for key: String) throws(DataCachingError) -> DataCacheEntry?

    /// Whether an entry is there, by a look that may be wrong about damaged ones.
    func contains(_ key: String) -> Bool

    /// Keeps an entry, in place of an older one of the same key.
    ///
    /// - Throws: ``DataCachingError``; the older entry, or none, is then there, never a part of the new one.
    func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError)

    /// Keeps an entry soon: lookups find it from now on, and whoever writes it does so behind the caller's back.
    ///
    /// Waits only where too much is waiting to be written already. By default ``store(_:for:)``, at once.
    /// - Parameter done: called once, on any thread and without a lock: with the error if the entry could not be kept.
    func stage(_ entry: DataCacheEntry, for key: String, done: @escaping @Sendable (DataCachingError?) -> Void)

    /// Removes the entry of a key, if there is one.
    func remove(_ key: String) throws(DataCachingError)

    /// Removes every entry.
    func removeAll() throws(DataCachingError)
}

extension DataCaching {
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
    /// Header fields of the response it came with.
    public var headers: HTTPHeaderFields
    /// What else is to be remembered with the body, by short names; a cache keeps it and does not look into it.
    ///
    /// HTTP caching keeps here when and for which request the answer came.
    public var metadata: [String: String]

    /// An entry.
    public init(data: Data, headers: HTTPHeaderFields = HTTPHeaderFields(), metadata: [String: String] = [:]) {
        self.data = data
        self.headers = headers
        self.metadata = metadata
    }
}

/// Why the data cache could not do as asked. Never the reason of a failed load, only of an event.
public struct DataCachingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, on which path, and what the system said, in one line.
    public let message: String
    /// The system's error number, where one is behind it.
    public let code: Int32?

    /// Creates an error.
    public init(_ message: String, code: Int32? = nil) {
        self.message = message
        self.code = code
    }

    /// What was tried and what the system said.
    public var description: String { message }
}
