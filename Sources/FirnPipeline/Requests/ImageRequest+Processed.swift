import FirnImage

extension ImageRequest {
    /// Whether its image is another than the original's.
    var isProcessed: Bool { targetSize != nil || !processors.isEmpty }

    /// The key of its image, encoded, in the data cache: that of the original where they are the same.
    var processedDataCacheKey: String {
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

    /// The same without what is done to the image.
    var unmade: ImageRequest {
        var request = self
        request.processors = []
        request.targetSize = nil
        return request
    }
}
