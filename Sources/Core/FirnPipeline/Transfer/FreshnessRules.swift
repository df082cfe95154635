import FirnSync
import FirnSystem

/// Decides how long stored bytes are fresh, from the policy of the pipeline, the options of the request and the
/// clock.
///
/// A class, since every hit of an image that expires reads the clock. A copy of a struct would retain three
/// references.
final class FreshnessRules: Sendable {
    private let policy: HTTPCachePolicy
    private let mode: ImageRequest.Freshness
    private let now: (@Sendable () -> Duration)?
    private let loader: any DataLoading
    /// Requests of one key may send different fields if there is a delegate, because it may add some.
    private let choices: DelegateLink?

    /// The time for which a stale image is used after its source has failed, so that not every view repeats the
    /// request.
    private static let failureRest: Int64 = 10_000_000_000

    init(_ policy: HTTPCachePolicy, _ configuration: ImagePipeline.Configuration, _ choices: DelegateLink?) {
        self.policy = policy
        mode = configuration.freshness
        now = configuration.now
        loader = configuration.dataLoader
        self.choices = choices
    }

    /// Returns a request as it is sent; with the header fields that a delegate adds if `varies` is true.
    private func wire(_ request: ImageRequest, _ varies: Bool) -> DataRequest? {
        guard let sent = request.dataRequest else { return nil }
        guard let choices else { return loader.completed(sent) }
        let prepared = varies ? choices.preparedAtOnce(sent, for: request) : sent
        return choices.delegate.dataLoader(for: request, pipeline: choices.pipeline).completed(prepared)
    }

    /// Nanoseconds since 1970, from the fastest clock. It may be some milliseconds late.
    var moment: Int64 {
        if let now { return now().nanoseconds }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    func mode(for request: ImageRequest) -> ImageRequest.Freshness { request.freshness ?? mode }

    /// Decides whether a stored response may be used for a request now.
    func judge(_ stored: StoredResponse, for request: ImageRequest) -> CacheVerdict {
        let sent = wire(request, stored.varies) ?? DataRequest(url: stored.url)
        return judge(stored, for: request, sent)
    }

    private func judge(_ stored: StoredResponse, for request: ImageRequest, _ sent: DataRequest) -> CacheVerdict {
        let verdict = policy.verdict(on: stored, for: sent, at: moment)
        switch mode(for: request) {
        case .followsSource: return verdict
        case .unlimited: return verdict == .unusable ? verdict : .fresh(until: .max)
        case .limited(let duration):
            guard verdict != .unusable else { return verdict }
            let until = stored.times.responded.saturatingAdd(duration.nanoseconds)
            let now = moment
            let isUndated = stored.times.responded.isFromFuture(at: now)
            return now < until && !isUndated
                ? .fresh(until: until) : .stale(whileRevalidating: true, onError: true)
        }
    }

    /// The request that revalidates stored bytes.
    func check(_ stale: StaleBytes, by sent: DataRequest, for request: ImageRequest) -> DataRequest {
        // A time limit of the program applies to the whole chain of redirects, so its last address is revalidated even
        // if its response is fresh by itself.
        guard mode(for: request) == .followsSource else {
            return sent.asking(about: stale.stored, policy.validators(of: stale.stored))
        }
        return policy.check(stale.stored, for: sent, at: moment)
    }

    /// Returns whether a 304 is for other bytes than the stored ones.
    func isRefuted(_ stale: StaleBytes, by response: DataResponse, for request: ImageRequest) -> Bool {
        let sent = wire(request, stale.stored.varies) ?? DataRequest(url: stale.stored.url)
        return policy.confirmed(stale.stored, by: response, to: sent, ResponseTimes()) == nil
    }

    /// Returns whether nothing of a response may be stored (`no-store`), not even its first bytes.
    func forbidsKeeping(_ response: DataResponse, for request: ImageRequest) -> Bool {
        guard response.status != nil, let sent = sent(request, response) else { return false }
        let stored = policy.remembered(response, to: sent, ResponseTimes())
        return policy.forbidsStoring(stored, to: sent)
    }

    func freshness(of bytes: FetchedBytes, for request: ImageRequest) -> BytesFreshness {
        if let known = bytes.known { return known }
        guard let response = bytes.response, response.status != nil, let times = bytes.times,
            let sent = sent(request, response)
        else { return BytesFreshness() }
        let stored = policy.remembered(response, to: sent, times)
        return freshness(of: stored, for: request, sent)
    }

    /// The request as it was sent for a response.
    private func sent(_ request: ImageRequest, _ response: DataResponse) -> DataRequest? {
        guard let fields = response.sentFields else {
            // A body that an earlier process began has no record of the sent fields.
            return wire(request, response.headers["Vary"] != nil || !response.redirects.isEmpty)
        }
        var sent = wire(request, false)
        sent?.headers = fields
        return sent
    }

    /// The header fields of a request as it would be sent now.
    func sentFields(of request: ImageRequest) -> HTTPHeaderFields? { wire(request, true)?.headers }

    /// Returns whether a stored response serves a request at once, and is to be revalidated meanwhile (RFC 5861 §3).
    func servesWhileRevalidating(_ stored: StoredResponse, _ request: ImageRequest) -> Bool {
        guard mode(for: request) == .followsSource, let sent = wire(request, stored.varies) else { return false }
        return policy.use(of: stored, for: sent, at: moment) == .serveWhileRevalidating
    }

    /// Returns a stored response with its current age (RFC 9111 §4.2.3).
    func response(of stored: StoredResponse, count: Int) -> DataResponse {
        var headers = stored.headers
        headers["Age"] = policy.ageField(of: stored, at: moment)
        return DataResponse(url: stored.url, status: stored.status, headers: headers, expectedLength: count)
    }

    /// Returns whether a request would be sent with these values of the fields that a response depends on.
    func selects(_ selecting: [String: String], _ request: ImageRequest) -> Bool {
        guard let sent = wire(request, true) else { return true }
        return VaryRule.matches(StoredResponse.fields(of: selecting), sent.headers)
    }

    private func freshness(of stored: StoredResponse, for request: ImageRequest, _ sent: DataRequest) -> BytesFreshness
    {
        let mayKeep =
            mode(for: request) == .followsSource
            ? policy.mayStore(stored, to: sent) : !policy.forbidsStoring(stored, to: sent)
        switch mayKeep ? judge(stored, for: request, sent) : .unusable {
        case .fresh(let until): return fresh(stored, until: until, sent)
        case .stale(let mayShow, _): return BytesFreshness(until: 0, mayShowStale: mayShow, stored: stored)
        case .unusable: return BytesFreshness(until: .min, mayShowStale: false, stored: stored, mayKeep: false)
        }
    }

    func fresh(_ stored: StoredResponse, until: Int64, for request: ImageRequest) -> BytesFreshness {
        fresh(stored, until: until, until == .max ? nil : wire(request, stored.varies))
    }

    private func fresh(_ stored: StoredResponse, until: Int64, _ sent: DataRequest?) -> BytesFreshness {
        var result = BytesFreshness(until: until, stored: stored)
        guard until != .max, let sent else { return result }
        // The verdict at the time of expiry.
        if case .stale(let mayShow, _) = policy.verdict(on: stored, for: sent, at: until) {
            result.mayShowStale = mayShow
        }
        return result
    }

    /// Writes into an image until when it is fresh.
    func mark(_ container: inout ImageContainer, _ bytes: FetchedBytes, _ request: ImageRequest) {
        let freshness = freshness(of: bytes, for: request)
        container.freshNanoseconds = freshness.until
        container.isShownStale = freshness.mayShowStale
        if choices != nil, let stored = freshness.stored, stored.varies { container.selecting = stored.selectingFields }
        if freshness.until != .max, freshness.until != .min {
            container.freshSince = moment.saturatingSubtract(Int64.clockSkew)
        }
    }

    func confirmed(_ stale: StaleBytes, by response: DataResponse, _ times: ResponseTimes, for request: ImageRequest)
        -> BytesFreshness
    {
        let sent = wire(request, stale.stored.varies) ?? DataRequest(url: stale.stored.url)
        let updated = policy.confirmed(stale.stored, by: response, to: sent, times)
        return freshness(of: updated ?? stale.stored, for: request, sent)
    }

    /// The freshness of stored bytes that are used because their source failed.
    func standIn(_ stale: StaleBytes) -> BytesFreshness {
        BytesFreshness(
            until: moment.saturatingAdd(FreshnessRules.failureRest), mayShowStale: stale.mayShow, stored: stale.stored,
            isStale: true)
    }
}

extension StoredResponse {
    /// True if the response depends on header fields of the request.
    var varies: Bool { !selecting.isEmpty || redirects.contains { !$0.selecting.isEmpty } }

    /// The fields that the response and its redirects depend on, each with its value.
    var selectingFields: [String: String] {
        let fields = redirects.flatMap(\.selecting.fields) + selecting.fields
        return Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
    }

    static func fields(of selecting: [String: String]) -> HTTPHeaderFields {
        HTTPHeaderFields(selecting.map { HTTPHeaderFields.Field(name: $0.key, value: $0.value) })
    }
}

/// Bytes of the data cache that are no longer fresh, and how they may still be used.
final class StaleBytes: Sendable {
    let data: Data
    let key: String
    let stored: StoredResponse
    /// True if their image may be shown as a preview until the response arrives.
    let mayShow: Bool
    /// True if they may be the result if the source fails.
    let mayServeOnError: Bool

    init(data: Data, key: String, stored: StoredResponse, mayShow: Bool, mayServeOnError: Bool) {
        self.data = data
        self.key = key
        self.stored = stored
        self.mayShow = mayShow
        self.mayServeOnError = mayServeOnError
    }

    /// Returns the bytes; stale unless `known` is given.
    func bytes(_ rules: FreshnessRules, _ known: BytesFreshness? = nil, mayStore: Bool = false) -> FetchedBytes {
        var response = rules.response(of: known?.stored ?? stored, count: data.count)
        response.url = stored.url
        let stale = BytesFreshness(until: 0, mayShowStale: mayShow, stored: stored, isStale: true)
        return FetchedBytes(
            chunks: [data], count: data.count, response: response, cacheType: .disk, diskKey: key, mayStore: mayStore,
            known: known ?? stale)
    }
}
