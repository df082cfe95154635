/// Counts of what the views of a list requested and received.
public struct BindingStatistics: Hashable, Sendable {
    /// Images from the memory cache, shown in the call that requested them.
    public var memoryHits = 0
    /// Requests that were started.
    public var starts = 0
    /// Running requests that a view took over from one that had released them.
    public var takenOver = 0
    /// Loaded images that were shown.
    public var deliveries = 0
    /// Previews that were shown.
    public var previews = 0
    /// Requests that failed.
    public var failures = 0
    /// Images that were loaded after their last view had released them.
    public var unwanted = 0
    /// Calls on the drawing thread to deliver events.
    public var turns = 0
    /// The drawing thread's time for delivering events, including the toolkit's part.
    public var deliveryTime = Duration.zero
    /// The number of times that the budget of a frame was used up while images waited.
    public var postponements = 0

    /// Creates counts of zero.
    public init() {}
}
