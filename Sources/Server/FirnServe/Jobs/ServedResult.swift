import NIOCore

/// An encoded result for clients and caches.
struct ServedResult: Sendable, Equatable {
    /// The bytes, shared by all responses.
    let body: ByteBuffer
    let mediaType: String
    /// The strong validator, with its quotation marks (RFC 9110 §8.8.3).
    let entityTag: String

    /// The time at which it was made, in seconds since 1970.
    let made: Int

    /// True if the source is truncated or damaged and was decoded as far as possible. Such a result is not cached.
    var isPartial = false
    /// The terms of the source's response.
    var terms = SourceTerms()

    /// The revision of its job, for results in memory.
    var revision = 0

    var count: Int { body.readableBytes }
    /// The bytes in memory: those of the result, of its fields, and of an entry.
    var cost: Int { terms.fields.values.reduce(count + 256) { $0 + $1.utf8.count } }
    /// True if caches and stores may keep it.
    var mayKeep: Bool { !isPartial && !terms.isPrivate && !terms.forbidsStoring }

    /// Returns the strong validator of bytes.
    static func entityTag(of bytes: Data) -> String { "\"\(HexadecimalDigest.text(of: bytes).prefix(32))\"" }
}

extension BoundedMap where Value == ServedResult {
    /// Stores a result.
    ///
    /// - Returns: whether it replaces a result from before a purge.
    mutating func store(_ result: ServedResult, of job: ResultJob) -> Bool where Key == String {
        let isPurge = value(for: job.memoryKey).map { $0.revision != job.revision } ?? false
        var result = result
        result.revision = job.revision
        store(result, for: job.memoryKey, cost: result.cost)
        return isPurge
    }
}

/// The freshness of a result whose source may change.
///
/// - Source: RFC 5861 section 3 (stale-while-revalidate).
enum ResultAge: Sendable, Equatable {
    case fresh
    /// Served, and made again in the background.
    case stale
    case expired

    /// - Parameters:
    ///   - now: the seconds since 1970. A result from the future is expired, because a clock was set back.
    ///   - lifetime: how long a result is fresh, unless its source states less.
    ///   - stale: how long it is stale after that.
    init(_ result: ServedResult, now: Int, lifetime: Duration, stale: Duration) {
        let (age, overflow) = now.subtractingReportingOverflow(result.made)
        let (stated, isEndless) = result.terms.freshUntil.subtractingReportingOverflow(result.made)
        let fresh = isEndless ? lifetime.components.seconds : min(lifetime.components.seconds, Int64(clamping: stated))
        if overflow || age < -ResultAge.tolerance {
            self = .expired
        } else if age < fresh {
            self = .fresh
        } else {
            self = age - Int(clamping: fresh) < stale.components.seconds ? .stale : .expired
        }
    }

    /// The tolerated difference between the clocks of two servers, in seconds.
    private static let tolerance = 60
}

// Entries are verified: a damaged, torn or foreign one is a miss.
extension DataCache {
    func result(for key: String) -> ServedResult? {
        guard let entry = try? entry(for: key), let mediaType = entry.metadata["type"],
            let entityTag = entry.metadata["tag"], let made = entry.metadata["made"].flatMap({ Int($0) }),
            let terms = entry.metadata["terms"].flatMap({ SourceTerms(text: $0) })
        else { return nil }
        return ServedResult(
            body: ByteBuffer(bytes: entry.data), mediaType: mediaType, entityTag: entityTag, made: made, terms: terms)
    }

    /// Stores a result.
    ///
    /// - Returns: the error if the disk is full or not writable. The response is sent anyway.
    func store(_ result: ServedResult, for key: String) -> DataCachingError? {
        let metadata = [
            "type": result.mediaType, "tag": result.entityTag, "made": String(result.made), "terms": result.terms.text,
        ]
        do throws(DataCachingError) {
            try store(DataCacheEntry(data: Data(result.body.readableBytesView), metadata: metadata), for: key)
            return nil
        } catch {
            return error
        }
    }
}

enum ServeClock {
    /// The seconds since 1970.
    @Sendable static func seconds() -> Int { Int(clamping: Duration.sinceEpoch().components.seconds) }
}

/// The condition under which the same request gets the same response.
struct ResponseCondition: Sendable {
    /// The job of the result, with the version of its source.
    let job: ResultJob
    let entityTag: String
    let terms: SourceTerms

    func isMet(by result: ServedResult) -> Bool { result.entityTag == entityTag && result.terms == terms }
}
