import FirnSync

/// Responses in a data cache, by address and by the request fields that they depend on. All calls block.
///
/// A failing cache behaves like an empty one. Errors while storing are ignored.
package struct ResponseStore: Sendable {
    package struct Found: Sendable {
        package var response: StoredResponse
        package let data: Data
        /// The key in the data cache.
        package let key: String

        package init(response: StoredResponse, data: Data, key: String) {
            self.response = response
            self.data = data
            self.key = key
        }
    }

    let cache: any DataCaching
    /// Returns the data cache key of an address.
    private let key: @Sendable (String) -> String
    /// Returns whether a body may be stored.
    private let accepts: @Sendable (StoredResponse, Data) -> Bool
    /// Called after an unsafe request removed the stored responses of an address.
    private let invalidated: @Sendable (String) -> Void
    /// Serializes changes: an index is read, changed and written, and no lock may be held meanwhile.
    let changes = SerialQueue()
    /// Changed only from ``changes``; read by exchanges that start.
    private let invalidations = Locked(Invalidations())

    /// - Parameters:
    ///   - key: returns the key of an address. Default: the address without its fragment, after `GET`.
    ///   - accepts: whether a body may be stored. Default: all.
    ///   - invalidated: called from ``changes`` for each address that an unsafe request invalidates. Default: nothing.
    package init(
        cache: any DataCaching,
        key: @escaping @Sendable (String) -> String = { "GET " + WebAddress.resource(of: $0) },
        accepts: @escaping @Sendable (StoredResponse, Data) -> Bool = { _, _ in true },
        invalidated: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.cache = cache
        self.key = key
        self.accepts = accepts
        self.invalidated = invalidated
    }

    /// Returns the newest stored response that matches a request.
    package func find(_ request: DataRequest) -> Found? {
        guard let (entry, key) = try? ResponseStore.entry(of: key(request.url), in: cache, { request.headers }),
            let response = StoredResponse(entry), VaryRule.matches(response.selecting, request.headers)
        else { return nil }
        return Found(response: response, data: entry.data, key: key)
    }

    /// Returns the entry for a key, or for the variant that the request's fields select, with its own key.
    ///
    /// - Parameter fields: returns the request's fields as sent. Called only if there are variants.
    package static func entry(
        of key: String, in cache: any DataCaching, _ fields: () -> HTTPHeaderFields
    ) throws(DataCachingError) -> (entry: DataCacheEntry, key: String)? {
        guard let entry = try cache.entry(for: key) else { return nil }
        guard let index = VariantIndex(entry) else { return (entry, key) }
        let fields = fields()
        for variant in index.variants where VaryRule.matches(variant.selecting, fields) {
            let key = index.key(variant, of: key)
            if let entry = try cache.entry(for: key) { return (entry, key) }
        }
        return nil
    }

    /// Stores a response to a request. Called from ``changes``.
    func keep(_ response: StoredResponse, _ data: Data, for request: DataRequest) {
        guard accepts(response, data) else { return }
        let entry = DataCacheEntry(data: data, headers: response.headers, metadata: response.metadata)
        try? ResponseStore.keep(entry, selecting: response.selecting, for: key(request.url), in: cache)
    }

    /// Stores the entry of a response under a key, in addition to variants for other requests.
    ///
    /// - Parameter selecting: the request fields that the response depends on.
    package static func keep(
        _ entry: DataCacheEntry, selecting: HTTPHeaderFields, for key: String, in cache: any DataCaching
    ) throws(DataCachingError) {
        let known = (try? cache.entry(for: key))?.flatMap { VariantIndex($0) }
        guard !selecting.isEmpty else {
            if let known { removeVariants(known, of: key, in: cache) }
            return try cache.store(entry, for: key)
        }
        var index = known ?? VariantIndex(generation: String(UInt64.random(in: .min ... .max), radix: 36))
        let (variant, removed) = index.insert(selecting)
        // Order: the response is stored before the index that names it.
        try cache.store(entry, for: index.key(variant, of: key))
        try cache.store(index.entry, for: key)
        for variant in removed { try? cache.remove(index.key(variant, of: key)) }
    }

    /// Removes the entry for a key and its variants.
    package static func remove(_ key: String, in cache: any DataCaching) {
        if let index = (try? cache.entry(for: key))?.flatMap({ VariantIndex($0) }) {
            removeVariants(index, of: key, in: cache)
        }
        try? cache.remove(key)
    }

    /// Stores new fields of a response without changing its body. Called from ``changes``.
    func renew(_ found: Found, with response: StoredResponse) {
        let entry = DataCacheEntry(data: found.data, headers: response.headers, metadata: response.metadata)
        try? cache.store(entry, for: found.key)
    }

    /// Removes all responses of an address. Called from ``changes``.
    func remove(_ url: String) { ResponseStore.remove(key(url), in: cache) }

    /// Removes one response, unless it was replaced. Called from ``changes``.
    func remove(_ found: Found) {
        guard let now = (try? cache.entry(for: found.key))?.flatMap({ StoredResponse($0) }),
            now.times.responded <= found.response.times.responded
        else { return }
        try? cache.remove(found.key)
    }

    /// Removes all responses of an address after an unsafe request. Responses to earlier requests are no longer stored.
    /// Called from ``changes``.
    func invalidate(_ url: String) {
        invalidations.withLock { $0.add(url) }
        remove(url)
        invalidated(url)
    }

    var latestInvalidation: UInt64 { invalidations.withLock { $0.latest } }

    /// Returns whether an address was invalidated after a given invalidation number. Called from ``changes``.
    func isInvalidated(_ url: String, after number: UInt64) -> Bool {
        invalidations.withLock { $0.contains(url, after: number) }
    }

    private static func removeVariants(_ index: VariantIndex, of key: String, in cache: any DataCaching) {
        for variant in index.variants { try? cache.remove(index.key(variant, of: key)) }
    }
}

/// Runs work items one at a time, on the thread that finds the queue empty.
final class SerialQueue: Sendable {
    /// The work in progress, then the waiting work.
    private let works = Locked<[@Sendable () -> Void]>([])

    /// Runs `work`, and work added meanwhile, on this thread; or queues it for the thread that is already running work.
    func add(_ work: @escaping @Sendable () -> Void) {
        let begins = works.withLock { works in
            works.append(work)
            return works.count == 1
        }
        var next = begins ? work : nil
        while let work = next {
            work()
            next = works.withLock { works in
                works.removeFirst()
                return works.first
            }
        }
    }
}

/// Recently invalidated addresses, so that responses to earlier requests are not stored.
///
/// A pure value. Invariant: a response never counts as newer than an invalidation that followed its request. Of the
/// oldest invalidations only the last number is kept; it then applies to every address.
struct Invalidations {
    /// Maximum number of addresses. An exchange rarely outlives so many invalidations.
    private static let limit = 1024

    /// The number of the latest invalidation. An exchange records it when it starts.
    private(set) var latest: UInt64 = 0
    private var numbers: [String: UInt64] = [:]
    /// The number of the latest invalidation whose address is no longer kept.
    private var forgotten: UInt64 = 0

    mutating func add(_ url: String) {
        latest += 1
        numbers[WebAddress.resource(of: url)] = latest
        guard numbers.count > Invalidations.limit else { return }
        // Removes half at once, so that many invalidations share the cost of sorting.
        let oldest = numbers.sorted { $0.value < $1.value }.prefix(Invalidations.limit / 2)
        for (url, number) in oldest {
            numbers[url] = nil
            forgotten = max(forgotten, number)
        }
    }

    /// Returns whether an address was invalidated after a given invalidation number.
    func contains(_ url: String, after number: UInt64) -> Bool {
        if number < forgotten { return true }
        guard number < latest else { return false }
        return numbers[WebAddress.resource(of: url)].map { $0 > number } ?? false
    }
}
