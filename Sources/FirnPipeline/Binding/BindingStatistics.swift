/// What the views of a list have asked for and got so far.
public struct BindingStatistics: Hashable, Sendable {
    /// Images that were in memory and shown in the call that asked for them.
    public var memoryHits = 0
    /// Requests started.
    public var starts = 0
    /// Requests taken over, under way, from a view that had gone away.
    public var takenOver = 0
    /// Images shown that were loaded.
    public var deliveries = 0
    /// Early states shown.
    public var previews = 0
    /// Failures.
    public var failures = 0
    /// Images that were loaded and wanted by no view any more.
    public var unwanted = 0
    /// Times the drawing thread was called for news.
    public var turns = 0
    /// How long the drawing thread has taken news to views, what the toolkit did for it included.
    public var deliveryTime = Duration.zero
    /// Times that a frame's budget was used up, and images had to wait for the next.
    public var postponements = 0

    /// Nothing yet.
    public init() {}
}
