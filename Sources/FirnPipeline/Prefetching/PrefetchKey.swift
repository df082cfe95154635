/// What makes two requests one item of a prefetcher: one picture, or, where only bytes are fetched, one resource.
///
/// Holds the request and compares its identities, which are computed already.
struct PrefetchKey: Hashable, Sendable {
    let request: ImageRequest
    let isForBytes: Bool

    static func == (a: PrefetchKey, b: PrefetchKey) -> Bool {
        if a.request.storage === b.request.storage { return true }
        let (mine, other) = (a.request.identities, b.request.identities)
        return mine.resource == other.resource && (a.isForBytes ? mine.data == other.data : mine.image == other.image)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(request.identities.resource.hash) }
}
