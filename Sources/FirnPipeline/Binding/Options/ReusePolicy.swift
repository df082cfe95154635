/// What becomes of the request of a view that has gone away, once no other view has taken it over.
public enum ReusePolicy: String, Hashable, Sendable, CaseIterable {
    /// It is cancelled: nothing is loaded that nobody sees. What has arrived of it is lost.
    case cancel
    /// It goes on, less urgent than all that is seen, and ends in the caches.
    case finish
    /// It stands still, keeps what has arrived, and goes on when the picture is asked for again.
    case pause
}
