/// Counts of the requests and results of a list's views.
package struct BindingStatistics: Hashable, Sendable {
    /// Images from the memory cache, shown within the requesting call.
    package var memoryHits = 0
    /// Started requests.
    package var starts = 0
    /// Running requests that a view took over from another view.
    package var takenOver = 0
    /// Loaded images that views showed.
    package var deliveries = 0
    /// Previews that views showed.
    package var previews = 0
    /// Failed requests.
    package var failures = 0
    /// Images whose load ended after their last view had released them.
    package var unwanted = 0
    /// Calls on the drawing thread to deliver events.
    package var turns = 0
    /// The drawing thread's time for delivering events, including the toolkit's part.
    package var deliveryTime = Duration.zero
    /// Frames whose budget was exhausted while images were waiting.
    package var postponements = 0
}
