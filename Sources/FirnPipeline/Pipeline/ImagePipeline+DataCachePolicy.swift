import FirnImage

extension ImagePipeline {
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
}

extension ImagePipeline.DataCachePolicy {
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

    /// Whether the original is kept of a picture with which these tasks end.
    func keepsOriginal(for tasks: some Sequence<ImageTask>) -> Bool {
        switch self {
        case .storeOriginalData, .storeAll: true
        case .storeEncodedImages: false
        case .automatic: tasks.contains { !$0.request.isMade }
        }
    }
}

extension ImageRequest {
    /// Whether its picture is another than the original's.
    var isMade: Bool { targetSize != nil || !processors.isEmpty }

    /// The key of its picture, encoded, in the data cache: that of the original where they are the same.
    var madeDataCacheKey: String {
        var key = dataCacheKey + Identities.text(of: targetSize)
        for processor in processors { key += "|\(processor.identifier)" }
        return key
    }

    /// Whether its source is one of which the data cache keeps anything.
    var isKeptOnDisk: Bool {
        switch source.reader {
        case .loader, .closure: true
        case .file, .inline, .bytes, .image: false
        }
    }

    /// The same without what is done to the picture.
    var unmade: ImageRequest {
        var request = self
        request.processors = []
        request.targetSize = nil
        return request
    }
}
