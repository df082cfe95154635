/// The identity of a prefetched item: its image, or its resource if only bytes are fetched.
///
/// Holds the request and compares its identities, which are already computed.
struct PrefetchKey: Hashable, Sendable {
    let request: ImageRequest
    let isForBytes: Bool
    private let hash: Int

    init(request: ImageRequest, isForBytes: Bool) {
        self.request = request
        self.isForBytes = isForBytes
        hash = request.storage.identities.resource.hash
    }

    static func == (a: PrefetchKey, b: PrefetchKey) -> Bool {
        guard a.hash == b.hash else { return false }
        let (mine, other) = (a.request.storage, b.request.storage)
        if mine === other { return true }
        guard mine.identities.resource.text == other.identities.resource.text else { return false }
        return a.isForBytes
            ? mine.identities.data == other.identities.data : mine.identities.image == other.identities.image
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
