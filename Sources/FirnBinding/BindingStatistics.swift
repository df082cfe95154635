/// Counts of what the views of a list requested and received.
package struct BindingStatistics: Hashable, Sendable {
    /// Images from the memory cache, shown in the call that requested them.
    package var memoryHits = 0
    /// Requests that were started.
    package var starts = 0
    /// Running requests that a view took over from one that had gone away.
    package var takenOver = 0
    /// Loaded images that were shown.
    package var deliveries = 0
    /// Previews that were shown.
    package var previews = 0
    /// Requests that failed.
    package var failures = 0
    /// Images that were loaded after their last view had gone away.
    package var unwanted = 0
    /// Calls of the drawing thread to deliver news.
    package var turns = 0
    /// The drawing thread's time for delivering news, including the toolkit's part.
    package var deliveryTime = Duration.zero
    /// How often the budget of a frame was used up while images waited.
    package var postponements = 0

    /// Creates counts of zero.
    package init() {}
}
