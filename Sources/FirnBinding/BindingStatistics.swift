/// Counts of what the views of a list requested and received.
package struct BindingStatistics: Hashable, Sendable {
    /// Images from the memory cache, shown in the call that requested them.
    package var memoryHits = 0
    /// Requests that were started.
    package var starts = 0
    /// Running requests that a view took over from one that had released them.
    package var takenOver = 0
    /// Loaded images that were shown.
    package var deliveries = 0
    /// Previews that were shown.
    package var previews = 0
    /// Requests that failed.
    package var failures = 0
    /// Images that were loaded after their last view had released them.
    package var unwanted = 0
    /// Calls on the drawing thread to deliver events.
    package var turns = 0
    /// The drawing thread's time for delivering events, including the toolkit's part.
    package var deliveryTime = Duration.zero
    /// How often the budget of a frame was used up while images waited.
    package var postponements = 0

    /// Creates counts of zero.
    package init() {}
}
