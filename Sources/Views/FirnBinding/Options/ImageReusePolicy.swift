/// The treatment of a request that its view has released, if no other view takes it over.
public enum ImageReusePolicy: String, Hashable, Sendable, CaseIterable {
    /// The request is cancelled. The bytes that have arrived are kept for a while
    /// (``/FirnPipeline/ImagePipeline/Scheduling/partialBodyLifetime``), and the next request for the same address
    /// resumes from them if the server supports it.
    case cancel
    /// The request continues with a lower priority than visible views, and its image enters the caches.
    case finish
    /// The request is paused, keeps its bytes, and resumes when the image is requested again.
    case pause
}
