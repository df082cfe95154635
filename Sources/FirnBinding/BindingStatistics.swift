/// What the views of a list have asked for and got so far.
package struct BindingStatistics: Hashable, Sendable {
    /// Images that were in memory and shown in the call that asked for them.
    package var memoryHits = 0
    /// Requests started.
    package var starts = 0
    /// Requests taken over, under way, from a view that had gone away.
    package var takenOver = 0
    /// Images shown that were loaded.
    package var deliveries = 0
    /// Early states shown.
    package var previews = 0
    /// Failures.
    package var failures = 0
    /// Images that were loaded and wanted by no view any more.
    package var unwanted = 0
    /// Times the drawing thread was called for news.
    package var turns = 0
    /// How long the drawing thread has taken news to views, what the toolkit did for it included.
    package var deliveryTime = Duration.zero
    /// Times that a frame's budget was used up, and images had to wait for the next.
    package var postponements = 0

    /// Nothing yet.
    package init() {}
}
