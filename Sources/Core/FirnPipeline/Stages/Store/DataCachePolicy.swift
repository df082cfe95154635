/// Chooses what the data cache stores of a loaded image.
///
/// A *processed* image is one whose request has processors or a target size. Processed images are stored encoded,
/// each under a key of its own, and are looked up before the original. Animations are always stored as their original
/// bytes. Previews and incomplete bodies are never stored. Local files, `data:` addresses and bytes in memory are not
/// stored either.
public enum DataCachePolicy: Hashable, Sendable, CaseIterable {
    /// Stores processed images encoded, and originals for requests without processors or a target size.
    case automatic
    /// Stores the data as it was loaded, with its header fields. The default.
    case storeOriginalData
    /// Stores images encoded, processed or not, and no originals.
    case storeEncodedImages
    /// Stores originals, and processed images encoded beside them.
    case storeAll

    /// True if processed images are stored and looked up.
    var keepsProcessed: Bool { self != .storeOriginalData }

    func encodes(_ request: ImageRequest) -> Bool {
        switch self {
        case .storeOriginalData: false
        case .automatic, .storeAll: request.isProcessed
        case .storeEncodedImages: true
        }
    }

    /// Returns whether the original is stored, given the requests that end with its image.
    func keepsOriginal(for requests: some Sequence<ImageRequest>) -> Bool {
        switch self {
        case .storeOriginalData, .storeAll: true
        case .storeEncodedImages: false
        case .automatic: requests.contains { !$0.isProcessed }
        }
    }
}

/// The image and the request that an encoder is chosen for.
public struct ImageEncodingContext: Sendable {
    /// The request of the image.
    public let request: ImageRequest
    /// The image.
    public let container: ImageContainer

    /// Creates a context.
    public init(request: ImageRequest, container: ImageContainer) {
        self.request = request
        self.container = container
    }
}
