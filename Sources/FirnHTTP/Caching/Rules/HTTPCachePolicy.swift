/// How answers are kept and used again: RFC 9111 and 5861, with what they leave open.
///
/// A value: no clock, no disk, no network. All its rules are functions of the stored answer, the request and the time.
public struct HTTPCachePolicy: Hashable, Sendable {
    /// Whether several users share what is kept. `false`: the cache of one program for one user may keep `private` answers and
    /// those to requests with `Authorization`, and knows nothing of `s-maxage`. `true` for a proxy.
    public var isShared = false

    /// How long an answer counts as fresh that says nothing of the kind and has no time of last change either. Default: not at all.
    public var unstatedLifetime: Duration = .zero

    /// The share of the time since the last change for which an answer that says no more counts as fresh. 0.1: what RFC 9111
    /// §4.2.2 proposes.
    public var heuristicShare = 0.1

    /// The most that the share comes to. One day: long enough to spare a server, short enough to see a change.
    public var heuristicLimit: Duration = .seconds(86_400)

    /// How long past its freshness an answer may still serve when its server cannot be reached or fails, where the answer itself
    /// says nothing (`stale-if-error`, or a directive that forbids it). Default: one week, since an old image is better than none.
    public var staleOnErrorLimit: Duration = .seconds(7 * 86_400)

    /// A private cache.
    public init() {}
}
