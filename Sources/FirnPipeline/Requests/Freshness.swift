/// The time for which a cached image is served without asking its source.
public enum Freshness: Hashable, Sendable {
    /// As long as its source says: the rules of HTTP. What the source says nothing of is as the pipeline's
    /// HTTP cache policy has it. The default.
    case followsSource
    /// For ever: for addresses that never get another content, such as those that name it by its hash.
    case unlimited
    /// So long from when it was loaded, whatever its source says.
    case limited(Duration)
}

extension ImageRequest {
    /// How long what is kept of this request's resource serves; `nil`, the default, for as the pipeline has it. No part of the
    /// request's identity: who joins work under way for another gets what that one wanted. Whatever it says, an answer marked
    /// `no-store` is not kept.
    public var freshness: Freshness? {
        get { storage.freshness }
        set { alter { $0.freshness = newValue } }
    }
}
