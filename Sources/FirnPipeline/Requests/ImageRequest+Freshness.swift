extension ImageRequest {
    /// The time for which a cached image is served without asking its source.
    public enum Freshness: Hashable, Sendable {
        /// As stated by the source, by the rules of HTTP. For a source that states nothing, the pipeline's HTTP cache
        /// policy applies. The default.
        case followsSource
        /// Forever, for addresses whose content never changes, such as those that contain its hash.
        case unlimited
        /// This time after loading, whatever the source states.
        case limited(Duration)
    }

    /// The freshness of this request's cached data; `nil` (the default) for the pipeline's. Not part of the request's
    /// identity: a request that joins running work gets the result of that work. A `no-store` response is never stored.
    public var freshness: Freshness? {
        get { storage.freshness }
        set { alter { $0.freshness = newValue } }
    }
}
