/// What of a picture that was loaded goes into the data cache.
///
/// A picture is *made* if its request has processors or a target size. Made pictures are kept encoded, each under a key of
/// its own, and are looked for before the original. Animations are always kept as their original bytes. Previews and
/// bodies that did not come to their end are never kept, and of local files, `data:` addresses and bytes at hand nothing is.
public enum DataCachePolicy: Hashable, Sendable, CaseIterable {
    /// Made pictures encoded, and originals for requests that want the picture as it is.
    case automatic
    /// The bytes as they were loaded, with their header fields. The default.
    case storeOriginalData
    /// Pictures encoded, made or not, and no originals.
    case storeEncodedImages
    /// Originals, and made pictures encoded besides.
    case storeAll
}

extension DataCachePolicy {
    /// Whether made pictures are kept, and looked for.
    var keepsMade: Bool { self != .storeOriginalData }

    /// Whether a request's picture is kept encoded.
    func encodes(_ request: ImageRequest) -> Bool {
        switch self {
        case .storeOriginalData: false
        case .automatic, .storeAll: request.isMade
        case .storeEncodedImages: true
        }
    }

    /// Whether the original is kept of a picture that is what these requests want.
    func keepsOriginal(for requests: some Sequence<ImageRequest>) -> Bool {
        switch self {
        case .storeOriginalData, .storeAll: true
        case .storeEncodedImages: false
        case .automatic: requests.contains { !$0.isMade }
        }
    }
}
