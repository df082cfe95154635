import FirnData
import FirnImage
import FirnSystem

/// When a source was asked and when it answered, in nanoseconds since 1970.
struct AnswerTimes: Hashable, Sendable {
    var requested: Int64 = 0
    var answered: Int64 = 0
}

/// What is known of bytes: how long they serve, and what is to be remembered with them.
struct BytesFreshness: Sendable {
    /// Until when, in nanoseconds since 1970; `Int64.max` forever.
    var until = Int64.max
    /// Whether an image of them may be shown when they serve no longer, until there are others.
    var mayShowStale = true
    var stored: StoredResponse?
    /// Whether a cache may keep them.
    var mayKeep = true
    /// Whether they are used although they are no longer fresh.
    var isStale = false
}

/// How long what is kept serves: the pipeline's policy with its user's wishes, and the clock.
///
/// A class, since every hit of an image with an expiry asks for the time: a copy of the struct would count three
/// references.
final class FreshnessRules: Sendable {
    private let policy: any ResponseCachePolicy
    private let mode: Freshness
    private let now: (@Sendable () -> Duration)?
    /// A request as it goes over the wire. With `true` also with what a delegate adds, which is asked for where it may
    /// matter.
    private let wire: @Sendable (ImageRequest, Bool) -> DataRequest?

    /// How long a stale image serves whose source has just failed: long enough not to ask it again for every view.
    private static let failureRest: Int64 = 10_000_000_000

    /// - Parameters:
    ///   - now: time since 1970; `nil` for the system's clock.
    ///   - wire: a request as it goes over the wire.
    init(
        policy: any ResponseCachePolicy, mode: Freshness, now: (@Sendable () -> Duration)?,
        wire: @escaping @Sendable (ImageRequest, Bool) -> DataRequest?
    ) {
        self.policy = policy
        self.mode = mode
        self.now = now
        self.wire = wire
    }

    /// What is sent for a request.
    ///
    /// - Parameter varies: whether an answer depends on its header fields.
    private func sent(_ request: ImageRequest, varies: Bool) -> DataRequest? { wire(request, varies) }

    /// Nanoseconds since 1970, some milliseconds late: the clock that costs least.
    var moment: Int64 {
        if let now { return now().nanoseconds }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    func mode(for request: ImageRequest) -> Freshness { request.freshness ?? mode }

    /// What an answer that was kept may do for a request now.
    func judge(_ stored: StoredResponse, for request: ImageRequest) -> CacheVerdict {
        let sent = sent(request, varies: stored.varies) ?? DataRequest(url: stored.url)
        return judge(stored, for: request, sent)
    }

    private func judge(_ stored: StoredResponse, for request: ImageRequest, _ sent: DataRequest) -> CacheVerdict {
        let verdict = policy.verdict(on: stored, for: sent, at: moment)
        switch mode(for: request) {
        case .followsSource: return verdict
        case .unlimited: return verdict == .unusable ? verdict : .fresh(until: .max)
        case .limited(let duration):
            guard verdict != .unusable else { return verdict }
            let until = stored.responseTime.addingClamped(duration.nanoseconds)
            return moment < until ? .fresh(until: until) : .stale(whileRevalidating: true, onError: true)
        }
    }

    /// The request that asks whether kept bytes still hold.
    func check(_ stale: StaleBytes, by sent: DataRequest, for request: ImageRequest) -> DataRequest {
        // A limit of the user's is for all of a chain: its end is asked, too.
        guard mode(for: request) == .followsSource else {
            return sent.asking(about: stale.stored, policy.validators(of: stale.stored))
        }
        return policy.check(stale.stored, for: sent, at: moment)
    }

    /// Whether a 304 is about other bytes than the kept ones.
    func isRefuted(_ stale: StaleBytes, by response: DataResponse, for request: ImageRequest) -> Bool {
        let sent = sent(request, varies: stale.stored.varies) ?? DataRequest(url: stale.stored.url)
        return policy.confirmed(stale.stored, by: response, to: sent, requestTime: 0, responseTime: 0) == nil
    }

    /// Whether nothing of an answer may be kept (`no-store`), not even its first bytes.
    func forbidsKeeping(_ response: DataResponse, for request: ImageRequest) -> Bool {
        guard response.status != nil, let sent = sent(request, varies: false) else { return false }
        let stored = policy.remembered(response, to: sent, requestTime: 0, responseTime: 0)
        return policy.forbidsStoring(stored, to: sent)
    }

    /// What is known of bytes, of those that were kept or those that have just come.
    func freshness(of bytes: FetchedBytes, for request: ImageRequest) -> BytesFreshness {
        if let known = bytes.known { return known }
        guard let response = bytes.response, response.status != nil, let times = bytes.times,
            let sent = sent(request, varies: response.headers["Vary"] != nil || !response.redirects.isEmpty)
        else { return BytesFreshness() }
        let stored = policy.remembered(
            response, to: sent, requestTime: times.requested, responseTime: times.answered)
        return freshness(of: stored, for: request, sent)
    }

    private func freshness(of stored: StoredResponse, for request: ImageRequest, _ sent: DataRequest) -> BytesFreshness
    {
        let mayKeep =
            mode(for: request) == .followsSource
            ? policy.mayStore(stored, to: sent) : !policy.forbidsStoring(stored, to: sent)
        guard mayKeep else { return BytesFreshness(until: .min, mayShowStale: false, mayKeep: false) }
        switch judge(stored, for: request, sent) {
        case .fresh(let until): return fresh(stored, until: until, sent)
        case .stale(let mayShow, _): return BytesFreshness(until: 0, mayShowStale: mayShow, stored: stored)
        case .unusable: return BytesFreshness(until: .min, mayShowStale: false, mayKeep: false)
        }
    }

    /// What is known of kept bytes that serve until a moment.
    func fresh(_ stored: StoredResponse, until: Int64, for request: ImageRequest) -> BytesFreshness {
        fresh(stored, until: until, until == .max ? nil : sent(request, varies: stored.varies))
    }

    private func fresh(_ stored: StoredResponse, until: Int64, _ sent: DataRequest?) -> BytesFreshness {
        var result = BytesFreshness(until: until, stored: stored)
        guard until != .max, let sent else { return result }
        // As it will be then.
        if case .stale(let mayShow, _) = policy.verdict(on: stored, for: sent, at: until) {
            result.mayShowStale = mayShow
        }
        return result
    }

    /// Writes into an image how long it serves.
    func mark(_ container: inout ImageContainer, _ bytes: FetchedBytes, _ request: ImageRequest) {
        let freshness = freshness(of: bytes, for: request)
        container.freshNanoseconds = freshness.until
        container.isShownStale = freshness.mayShowStale
    }

    /// What is known of kept bytes after their source said that they still hold.
    func confirmed(_ stale: StaleBytes, by response: DataResponse, _ times: AnswerTimes, for request: ImageRequest)
        -> BytesFreshness
    {
        let sent = sent(request, varies: stale.stored.varies) ?? DataRequest(url: stale.stored.url)
        let updated = policy.confirmed(
            stale.stored, by: response, to: sent, requestTime: times.requested, responseTime: times.answered)
        return freshness(of: updated ?? stale.stored, for: request, sent)
    }

    /// What is known of kept bytes that serve because their source failed.
    func standIn(_ stale: StaleBytes) -> BytesFreshness {
        BytesFreshness(
            until: moment.addingClamped(FreshnessRules.failureRest), mayShowStale: stale.mayShow, stored: stale.stored,
            isStale: true)
    }
}

extension StoredResponse {
    /// Whether it depends on header fields of the request.
    fileprivate var varies: Bool { !selecting.isEmpty || redirects.contains { !$0.selecting.isEmpty } }
}
