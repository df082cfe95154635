/// Counts of the requests and results of a list's views.
public struct BindingStatistics: Hashable, Sendable {
    /// Images from the memory cache, shown within the requesting call.
    public var memoryHits = 0
    /// Started requests.
    public var starts = 0
    /// Running requests that a view took over from another view.
    public var takenOver = 0
    /// Loaded images that views showed.
    public var deliveries = 0
    /// Previews that views showed.
    public var previews = 0
    /// Failed requests.
    public var failures = 0
    /// Images whose load ended after their last view had released them.
    public var unwanted = 0
    /// Calls on the drawing thread to deliver events.
    public var turns = 0
    /// The drawing thread's time for delivering events, including the toolkit's part.
    public var deliveryTime = Duration.zero
    /// Frames whose budget was exhausted while images were waiting.
    public var postponements = 0

    /// Creates counts of zero.
    public init() {}
}
