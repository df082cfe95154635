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

/// A step from the bytes to the image of a request. Equal steps after equal steps share a job.
enum RequestStep: Equatable, Sendable {
    /// Decodes all pixels in the screen's layout, as most requests do. Counts no references.
    case plainDecode
    indirect case decode(Decode)
    case process(Box<any ImageProcessing>)
    /// Decodes, processes and makes a result that is no image.
    case render(Box<ImageRendering>)

    /// The options of a decode. `isExact` requests exactly the target size, not just enough pixels.
    struct Decode: Equatable, Sendable {
        var target: TargetSize?
        /// The size at which a vector image is rendered, if there is no target.
        var vectorTarget: TargetSize?
        /// The part to decode; `nil` for the whole image.
        var region: ImageRegion?
        /// The index of the frame or page.
        var frame = 0
        var isExact = false
        var format = PixelFormat.bgra8Premultiplied
        /// Those of the request that change the pixels.
        var options: ImageRequest.Options = []
        /// True if the decode verifies all bytes: it reads every byte and discards the pixels.
        var isProof = false

        static let plain = Decode()
        /// Decodes every pixel and discards it.
        static let proof = Decode(isProof: true)
    }

    static func == (a: RequestStep, b: RequestStep) -> Bool {
        switch (a, b) {
        case (.plainDecode, .plainDecode): true
        case (.decode(let a), .decode(let b)): a == b
        case (.process(let a), .process(let b)):
            a === b || a.value.identifier == b.value.identifier
        case (.render(let a), .render(let b)):
            a === b || a.value.identifier == b.value.identifier
        default: false
        }
    }
}
