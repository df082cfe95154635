import FirnImage
import FirnProcessing

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
        var keys = [dataCacheKey + Identities.text(of: options) + Identities.text(of: region, size)]
        for processor in processors { keys.append(keys[keys.count - 1] + Identities.text(of: processor)) }
        return stride(from: processors.count, through: size == nil && region == nil ? 1 : 0, by: -1).map { processed in
            ProcessedImage(key: keys[processed], processed: processed, isFinal: processed == processors.count)
        }
    }

    func steps(after product: ProcessedImage) -> RequestSteps {
        let rest = Array(processors.dropFirst(product.processed))
        if rest.isEmpty, pixelFormat == .bgra8Premultiplied, options.decoding.isEmpty { return .plain }
        let target = ImageProcessors.Composition.decodingTarget(of: rest)
        let decode = RequestStep.Decode(target: target, format: pixelFormat, options: options.decoding)
        return .list([.decode(decode)] + ImageRequest.steps(of: rest))
    }

    /// Returns a request that computes the result from the bytes of a processed image.
    func rest(after product: ProcessedImage) -> ImageRequest {
        var request = unmade
        if !product.isFinal { request.processors = Array(processors.dropFirst(product.processed)) }
        return request
    }
}
