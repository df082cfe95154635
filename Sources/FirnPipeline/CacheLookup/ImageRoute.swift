import FirnImage
import FirnProcessing

/// The start of a request's work, and the remaining steps.
///
/// Most routes start with the bytes. If the memory cache has the image after some of the processors, or at a size
/// that is large enough, the route starts with that image. Then nothing is read or decoded.
struct ImageRoute {
    /// The key under which requests share work.
    var key: ResourceKey
    /// The remaining steps; none if `base` is the requested image.
    var steps: RequestSteps
    /// The image that the route starts with; `nil` for the bytes.
    var base: ImageContainer?
    /// A smaller or stale image, to show until the requested one is available.
    var preview: ImageContainer?
    /// Whether the preview is the requested image, but stale.
    private(set) var isPreviewStale = false

    /// Creates the route of a request whose own image is not in the memory cache.
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

    /// Starts with an image of another size, if one has enough pixels.
    ///
    /// - Parameter whole: the request without its processors.
    private mutating func begin(
        with whole: ImageRequest, target: TargetSize?, _ request: ImageRequest, _ environment: StageEnvironment
    ) {
        let imageKey = whole.imageCacheKey
        let relatives = environment.cachedRelatives(of: imageKey, for: request)
        if relatives.isEmpty { return }
        switch SizeChoice(of: target, region: request.region, among: relatives) {
        case .nothing: break
        case .previews(var container):
            // Processing a preview would take about as long as it is visible.
            guard request.processors.isEmpty, preview == nil else { break }
            if let region = request.region {
                guard let part = ImageRoute.part(region, of: container, request.pixelFormat) else { break }
                container = part
            }
            container.isPreview = true
            preview = container
        case .serves(let container):
            let size = container.image.size
            key = ResourceKey(
                "memory:\(imageKey.family ?? imageKey.string)#\(size),\(container.sourceVersion?.modified ?? 0)"
                    + (container.area.map { ",\($0)" } ?? ""))
            var left = request.processors
            if let region = request.region {
                left.insert(
                    RegionProcessor(region: region, target: request.targetSize, format: request.pixelFormat), at: 0)
            } else if let exact = request.targetSize, exact.resolved(for: container.originalSize ?? size) != size {
                left.insert(FitProcessor(target: exact, format: request.pixelFormat), at: 0)
            }
            steps = .list(ImageRequest.steps(of: left))
            base = container
        }
    }

    /// The most pixels of a preview that is cut out of an image, which takes the caller's thread.
    private static let mostCut = 1 << 20

    /// A part of a smaller image, to show until the right one is there.
    private static func part(
        _ region: ImageRegion, of container: ImageContainer, _ format: PixelFormat
    ) -> ImageContainer? {
        guard container.image.size.area <= mostCut else { return nil }
        let cut = RegionProcessor(region: region, target: nil, format: format)
        return try? cut.process(container)
    }
}
