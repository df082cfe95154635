/// The treatment of a request whose view has gone away, once no other view has taken it over.
public enum ReusePolicy: String, Hashable, Sendable, CaseIterable {
    /// It is cancelled: nothing is loaded that nobody sees. The bytes that have arrived are kept for a while
    /// (``/FirnPipeline/ImagePipeline/Scheduling/partialBodyLifetime``), and the next request of the same address goes on from them
    /// where the server lets it.
    case cancel
    /// It goes on, less urgent than all that is seen, and ends in the caches.
    case finish
    /// It stands still, keeps what has arrived, and goes on when the image is asked for again.
    case pause
}
