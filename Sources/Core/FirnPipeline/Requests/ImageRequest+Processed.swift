import FirnImage

extension ImageRequest {
    /// True if the request has processors, a target size or a region.
    var isProcessed: Bool { targetSize != nil || region != nil || !processors.isEmpty }

    /// The key of the encoded result in the data cache. It is the key of the original if the result is the original
    /// image.
    var processedDataCacheKey: String {
        var key = dataCacheKey + Identities.text(of: options) + Identities.text(of: region, targetSize)
        for processor in processors { key += Identities.text(of: processor) }
        return key
    }

    /// True if the data cache stores anything of this kind of source.
    var isKeptOnDisk: Bool {
        switch source.reader {
        case .loader, .closure: true
        case .file, .inline, .bytes, .image, .nothing: false
        }
    }

    /// The same request without processors, target size and region.
    var unmade: ImageRequest {
        var request = self
        request.processors = []
        request.targetSize = nil
        request.region = nil
        return request
    }
}
