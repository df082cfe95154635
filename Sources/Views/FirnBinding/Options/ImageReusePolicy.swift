/// The treatment of a released request that no other view takes over.
public enum ImageReusePolicy: String, Hashable, Sendable, CaseIterable {
    /// The request is cancelled. Its bytes are kept for 5 minutes; the next request for the same URL resumes from them
    /// if the server supports it.
    case cancel
    /// The request continues with a lower priority than visible views, and its image enters the caches.
    case finish
    /// The request is paused, keeps its bytes, and resumes when the image is requested again.
    case pause
}
