import FirnImage
import FirnProcessing

extension ImageRequest {
    /// The steps from bytes to image, in order: decode, then the processors, one or several in a step.
    ///
    /// Without a target size, the decoder gets that of the first resize (rotations and flips may precede it). So it
    /// decodes no more pixels than that resize uses. A vector image is rendered at the size of the first resize also
    /// where that is not allowed for images of pixels.
    var steps: RequestSteps {
        if storage.isPlain { return .plain }
        if let render = storage.rendering { return .list([.render(render)]) }
        if wantsBytes { return storage.provesBytes ? .list([.decode(.proof)]) : .list([]) }
        if storage.isMaking { return stepsOfImage }
        let processors = processors
        let target = targetSize ?? ImageProcessors.Composition.decodingTarget(of: processors)
        let vectorTarget = target == nil ? ImageProcessors.Composition.renderingTarget(of: processors) : nil
        let decode = RequestStep.Decode(
            target: target, vectorTarget: vectorTarget, region: region, isExact: targetSize != nil, format: pixelFormat,
            options: options.decoding)
        return .list([.decode(decode)] + ImageRequest.steps(of: processors))
    }

    /// The steps for an image that a closure created: size and layout first if it lacks them, then the processors.
    private var stepsOfImage: RequestSteps {
        let first: any ImageProcessing =
            if let region {
                RegionProcessor(region: region, target: targetSize, format: pixelFormat)
            } else {
                FitProcessor(target: targetSize, format: pixelFormat)
            }
        return .list(ImageRequest.steps(of: [first] + processors))
    }

    /// Returns one step for each processor, or one for several that are fused.
    static func steps(of processors: [any ImageProcessing]) -> [RequestStep] {
        ImageProcessors.Composition.joined(processors).map { .process(Box($0)) }
    }
}

/// Resizes an image that was not decoded for the request to its target size, and converts it to its layout. A vector
/// image without a target gets its own size.
struct FitProcessor: ImageProcessing {
    let target: TargetSize?
    let format: PixelFormat

    var identifier: String {
        "firn/fit?\(target?.keyText ?? ""),\(format)"
    }

    /// The size that an image gets; `nil` for its present one.
    private func size(of container: ImageContainer) -> PixelSize? {
        // A vector image may have been rendered larger than its own size.
        let own = container.vectorSize == nil ? nil : container.originalSize
        let size = target?.resolved(for: container.extent) ?? own
        return size == container.image.size ? nil : size
    }

    func changesNothing(of container: ImageContainer) -> Bool {
        target?.isValid != false && size(of: container) == nil && container.image.format == format
    }

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        try target?.check()
        var container = container
        if let size = size(of: container) {
            container.image = try container.image.resized(to: size, cancellation: context.cancellation)
        }
        container.image = try container.image.preferring(format)
        return container
    }
}

enum RequestSteps: JobSteps {
    /// ``RequestStep/plainDecode`` alone: nothing is allocated, and no count is shared by all requests.
    case plain
    case list([RequestStep])

    var count: Int {
        switch self {
        case .plain: 1
        case .list(let steps): steps.count
        }
    }

    subscript(index: Int) -> RequestStep {
        switch self {
        case .plain: .plainDecode
        case .list(let steps): steps[index]
        }
    }
}
