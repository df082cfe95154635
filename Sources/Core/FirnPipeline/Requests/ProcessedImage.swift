/// An image between the original and the result of a request, which the data cache may have encoded.
struct ProcessedImage {
    let key: String
    /// The number of the request's processors that were applied.
    let processed: Int
    /// True if it is the request's own image.
    let isFinal: Bool
}

extension ImageRequest {
    /// The processed images that may be on disk, without the original; most processors first.
    var processedImages: [ProcessedImage] {
        let (size, processors) = (targetSize, processors)
        var keys = [dataCacheKey + Identities.keyPart(of: options) + Identities.keyPart(of: region, size)]
        for processor in processors { keys.append(keys[keys.count - 1] + Identities.keyPart(of: processor)) }
        return stride(from: processors.count, through: size == nil && region == nil ? 1 : 0, by: -1).map { processed in
            ProcessedImage(key: keys[processed], processed: processed, isFinal: processed == processors.count)
        }
    }

    /// Returns a request that computes the result from the bytes of a processed image.
    func rest(after product: ProcessedImage) -> ImageRequest {
        changed {
            $0.processors.removeFirst(product.processed)
            ($0.targetSize, $0.region) = (nil, nil)
        }
    }
}
