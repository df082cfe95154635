/// Chooses what the data cache stores of a loaded image.
///
/// An image is *made* if its request has processors or a target size. Made images are kept encoded, each under a key of
/// its own, and are looked for before the original. Animations are always kept as their original bytes. Previews and
/// bodies that did not come to their end are never kept, and of local files, `data:` addresses and bytes at hand
/// nothing is.
public enum DataCachePolicy: Hashable, Sendable, CaseIterable {
    /// Stores processed images encoded, and originals for requests without processors or a target size.
    case automatic
    /// Stores the data as it was loaded, with its header fields. The default.
    case storeOriginalData
    /// Stores images encoded, processed or not, and no originals.
    case storeEncodedImages
    /// Stores originals, and processed images encoded beside them.
    case storeAll
}

extension DataCachePolicy {
    /// Whether made images are kept, and looked for.
    var keepsProcessed: Bool { self != .storeOriginalData }

    /// Whether a request's image is kept encoded.
    func encodes(_ request: ImageRequest) -> Bool {
        switch self {
        case .storeOriginalData: false
        case .automatic, .storeAll: request.isProcessed
        case .storeEncodedImages: true
        }
    }

    /// Whether the original is kept of an image that is what these requests want.
    func keepsOriginal(for requests: some Sequence<ImageRequest>) -> Bool {
        switch self {
        case .storeOriginalData, .storeAll: true
        case .storeEncodedImages: false
        case .automatic: requests.contains { !$0.isProcessed }
        }
    }
}
