public import FirnData

/// A data cache for tests: it stores every entry in memory, counts its calls, and fails on demand.
///
/// Nothing touches a disk.
public final class ScriptedDataCache: DataCaching {
    /// The calls so far, in order.
    public struct Record: Sendable {
        /// Keys whose entries were read and found.
        public internal(set) var hits: [String] = []
        /// Keys whose entries were read and not found, or whose read failed.
        public internal(set) var misses: [String] = []
        /// Keys of entries that were stored, failed stores included.
        public internal(set) var stores: [String] = []
        /// Keys that were removed one by one.
        public internal(set) var removals: [String] = []
        /// Calls of ``ScriptedDataCache/removeAll()``.
        public internal(set) var clears = 0
    }

    private struct State: Sendable {
        var entries: [String: DataCacheEntry]
        var record = Record()
        var readError: DataCachingError?
        var writeError: DataCachingError?
    }

    private let state: Watched<State>

    /// Creates a cache that holds `entries`. Default: nothing.
    public init(_ entries: [String: DataCacheEntry] = [:]) { state = Watched(State(entries: entries)) }

    /// The calls so far.
    public var record: Record { state.value.record }

    /// The entries in the cache. Reading them is not recorded.
    public var entries: [String: DataCacheEntry] { state.value.entries }

    /// Waits until the record satisfies a condition, and returns it as it then was.
    ///
    /// A pipeline stores bytes after the task has ended, so a test waits for the store. The condition must not use the
    /// cache.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable (Record) -> Bool) async -> Record {
        await state.wait { isReached($0.record) }.record
    }

    /// Makes every read from now on throw `error`; `nil` makes reads succeed again.
    public func failReads(with error: DataCachingError?) { state.update { $0.readError = error } }

    /// Makes every store and removal from now on throw `error` and change nothing; `nil` makes them succeed again.
    public func failWrites(with error: DataCachingError?) { state.update { $0.writeError = error } }

    /// Returns the entry of a key, or `nil` if there is none.
    ///
    /// - Throws: the error of ``failReads(with:)``.
    public func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? {
        let (found, error) = state.update { state in
            let found = state.readError == nil ? state.entries[key] : nil
            if found == nil { state.record.misses.append(key) } else { state.record.hits.append(key) }
            return (found, state.readError)
        }
        if let error { throw error }
        return found
    }

    /// Returns whether there is an entry. Not recorded, and never fails.
    public func contains(_ key: String) -> Bool { state.value.entries[key] != nil }

    /// Stores an entry in place of an older one of the same key.
    ///
    /// - Throws: the error of ``failWrites(with:)``; the older entry stays.
    public func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        try write({ $0.entries[key] = entry }, noting: { $0.stores.append(key) })
    }

    /// Removes the entry of a key.
    ///
    /// - Throws: the error of ``failWrites(with:)``; the entry stays.
    public func remove(_ key: String) throws(DataCachingError) {
        try write({ $0.entries[key] = nil }, noting: { $0.removals.append(key) })
    }

    /// Removes every entry.
    ///
    /// - Throws: the error of ``failWrites(with:)``; all entries stay.
    public func removeAll() throws(DataCachingError) {
        try write({ $0.entries = [:] }, noting: { $0.clears += 1 })
    }

    /// Removes the entries of the keys for which `isUnwanted` returns true. Recorded as removals one by one.
    ///
    /// - Throws: the error of ``failWrites(with:)``; all entries stay.
    public func removeEntries(where isUnwanted: (String) -> Bool) throws(DataCachingError) {
        for key in state.value.entries.keys.filter(isUnwanted) { try remove(key) }
    }

    private func write(
        _ change: (inout State) -> Void, noting note: (inout Record) -> Void
    ) throws(DataCachingError) {
        let error = state.update { state in
            if state.writeError == nil { change(&state) }
            note(&state.record)
            return state.writeError
        }
        if let error { throw error }
    }
}
