import FirnImage
import FirnProcessing

/// Where a request's way begins, and what is left to do from there.
///
/// Mostly at its bytes. But if the memory cache has the image as some of the request's processors leave it, or at a
/// size that the wanted one can be made from, it begins there: nothing is read and nothing is decoded.
struct ImageRoute {
    /// What the work is shared by.
    var key: ResourceKey
    /// What is left to do; nothing if `base` is the image that is wanted.
    var steps: RequestSteps
    /// The image to begin with; `nil` for the bytes.
    var base: ImageContainer?
    /// A smaller image, to be shown until the right one is there.
    var preview: ImageContainer?
    /// Whether that is the image itself, no longer fresh.
    private(set) var isPreviewStale = false

    /// The way of a request whose own image was not found.
    init(of request: ImageRequest, in environment: StageEnvironment) {
        key = request.identities.resource
        steps = request.steps
        guard environment.keepsImages, request.readsMemory, !request.wantsBytes else { return }
        preview = environment.staleImage(for: request)
        isPreviewStale = preview != nil
        let processors = request.processors
        guard !processors.isEmpty else {
            begin(with: request, target: request.targetSize, request, environment)
            return
        }
        var partial = request
        for count in stride(from: processors.count - 1, through: 0, by: -1) {
            partial.processors = Array(processors.prefix(count))
            guard let container = environment.cachedImage(for: partial) else { continue }
            key = ResourceKey("memory:\(partial.imageCacheKey)")
            steps = .list(ImageRequest.steps(of: Array(processors.dropFirst(count))))
            base = container
            return
        }
        let target = request.targetSize ?? ImageProcessors.Composition.decodingTarget(of: processors)
        begin(with: partial, target: target, request, environment)
    }

    /// Begins with an image of another size, if there is one that serves.
    ///
    /// - Parameter whole: the request without its processors.
    private mutating func begin(
        with whole: ImageRequest, target: TargetSize?, _ request: ImageRequest, _ environment: StageEnvironment
    ) {
        let imageKey = whole.imageCacheKey
        let relatives = environment.cachedRelatives(of: imageKey, for: request)
        if relatives.isEmpty { return }
        switch SizeChoice(of: target, among: relatives) {
        case .nothing: break
        case .previews(var container):
            // What the processors would make of it takes as long to make as it is to be seen.
            guard request.processors.isEmpty, preview == nil else { break }
            container.isPreview = true
            preview = container
        case .serves(let container):
            let size = container.image.size
            key = ResourceKey(
                "memory:\(imageKey.family ?? imageKey.string)#\(size),\(container.sourceVersion?.modified ?? 0)")
            var left = request.processors
            if let exact = request.targetSize, exact.resolved(for: container.originalSize ?? size) != size {
                left.insert(FitProcessor(target: exact, format: request.pixelFormat), at: 0)
            }
            steps = .list(ImageRequest.steps(of: left))
            base = container
        }
    }
}
