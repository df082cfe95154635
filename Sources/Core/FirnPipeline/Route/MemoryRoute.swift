import FirnProcessing

/// The start of a request's work in the memory cache, and the remaining steps.
///
/// Most routes start with the bytes. If the memory cache has the image after some of the processors, or at a size
/// that is large enough, the route starts with that image. Then nothing is read or decoded.
struct MemoryRoute {
    /// The key under which requests share work.
    var key: ResourceKey
    /// The remaining steps; none if `base` is the requested image.
    var steps: RequestSteps
    /// The image that the route starts with; `nil` for the bytes.
    var base: ImageContainer?
    /// A smaller or stale image, to show until the requested one is available.
    var preview: ImageContainer?
    /// True if the preview is the requested image, but stale, perhaps at another size.
    private(set) var isPreviewStale = false

    /// Creates the route of a request whose own image is not in the memory cache.
    init(of request: ImageRequest, in caches: PipelineCaches) {
        key = request.identities.resource
        steps = request.steps
        // A request with an invalid target fails, whatever is in memory.
        if request.targetSize?.isValid == false { return }
        guard caches.keepsImages, request.readsMemory, !request.wantsBytes else { return }
        preview = caches.staleImage(for: request)
        isPreviewStale = preview != nil
        findBase(of: request, caches)
        guard base == nil, preview == nil else { return }
        preview = caches.staleRelative(of: request)
        isPreviewStale = preview != nil
    }

    /// Looks for an image that the route can start with.
    private mutating func findBase(of request: ImageRequest, _ caches: PipelineCaches) {
        let processors = request.processors
        guard !processors.isEmpty else {
            begin(with: request, .both(request.targetSize), request, caches)
            return
        }
        var partial = request
        for count in stride(from: processors.count - 1, through: 0, by: -1) {
            partial.processors = Array(processors.prefix(count))
            guard let container = caches.cachedImage(for: partial),
                MemoryRoute.isSuitable(container, after: partial, for: request)
            else { continue }
            key = ResourceKey("|memory:\(partial.imageCacheKey)")
            steps = .list(ImageRequest.steps(of: Array(processors.dropFirst(count))))
            base = container
            return
        }
        let targets =
            request.targetSize.map { SizeChoice.Targets.both($0) }
            ?? SizeChoice.Targets(
                pixels: ImageProcessors.Composition.decodingTarget(of: processors),
                vector: ImageProcessors.Composition.renderingTarget(of: processors))
        begin(with: partial, targets, request, caches)
    }

    /// Returns whether the remaining processors of `request` may start with an image in memory.
    ///
    /// A vector image must have been rendered at the size that the whole request renders it at. Processors change
    /// pixels, so a rendering at another size cannot be made of their result.
    private static func isSuitable(
        _ container: ImageContainer, after partial: ImageRequest, for request: ImageRequest
    ) -> Bool {
        guard container.vectorSize != nil, request.targetSize == nil else { return true }
        typealias Composition = ImageProcessors.Composition
        return Composition.renderingTarget(of: partial.processors)
            == Composition.renderingTarget(of: request.processors)
    }

    /// Returns whether an image with enough pixels must be resized before the processors.
    ///
    /// - Parameters:
    ///   - exact: the target size of the request.
    ///   - target: the size that the processors need, if the request has none.
    private static func differs(
        _ container: ImageContainer, from exact: TargetSize?, _ target: TargetSize?
    ) -> Bool {
        if let exact { return exact.resolved(for: container.extent) != container.image.size }
        return container.vectorSize != nil && target == nil && container.originalSize != container.image.size
    }

    /// Starts with an image of another size, if one has enough pixels.
    ///
    /// - Parameter whole: the request without its processors.
    private mutating func begin(
        with whole: ImageRequest, _ targets: SizeChoice.Targets, _ request: ImageRequest,
        _ caches: PipelineCaches
    ) {
        let imageKey = whole.imageCacheKey
        let relatives = caches.cachedRelatives(of: imageKey, for: request)
        if relatives.isEmpty { return }
        switch SizeChoice(of: targets, region: request.region, among: relatives) {
        case .nothing: break
        case .previews(var container):
            // Processing a preview would take about as long as it is visible.
            guard request.processors.isEmpty, preview == nil else { break }
            if let region = request.region {
                guard let part = MemoryRoute.part(region, of: container, request.pixelFormat) else { break }
                container = part
            }
            container.isPreview = true
            preview = container
        case .serves(let container):
            let size = container.image.size
            key = ResourceKey(
                "|memory:\(imageKey.family ?? imageKey.string)#\(size),\(container.sourceVersion?.modified ?? 0)"
                    + (container.area.map { ",\($0)" } ?? ""))
            var left = request.processors
            if let region = request.region {
                let target = request.targetSize ?? (container.vectorSize == nil ? nil : targets.vector)
                left.insert(RegionProcessor(region: region, target: target, format: request.pixelFormat), at: 0)
            } else if MemoryRoute.differs(container, from: request.targetSize, targets.vector) {
                left.insert(FitProcessor(target: request.targetSize, format: request.pixelFormat), at: 0)
            }
            steps = .list(ImageRequest.steps(of: left))
            base = container
        }
    }

    /// The most pixels of a preview that is cut out of an image, which takes the caller's thread.
    private static let maximumCut = 1 << 20

    /// A part of a smaller image, to show until the right one is there.
    private static func part(
        _ region: ImageRegion, of container: ImageContainer, _ format: PixelFormat
    ) -> ImageContainer? {
        guard container.image.size.area <= maximumCut else { return nil }
        let cut = RegionProcessor(region: region, target: nil, format: format)
        // A preview has the pixels that are there.
        var container = container
        let vectorSize = container.vectorSize
        container.vectorSize = nil
        var part = try? cut.process(container)
        part?.vectorSize = vectorSize
        return part
    }
}

extension PipelineCaches {
    /// The stale image of a request, to show until the requested one is available.
    fileprivate func staleImage(for request: ImageRequest) -> ImageContainer? {
        guard freshness != nil, request.identities.host != nil,
            var container = imageCache(for: request)?[request.imageCacheKey], !container.isPreview,
            container.isShownStale, isSelected(container, by: request)
        else { return nil }
        container.isPreview = true
        return container
    }

    /// The stale image of a request at another size, to show until the requested one is available.
    fileprivate func staleRelative(of request: ImageRequest) -> ImageContainer? {
        // Processing a preview would take about as long as it is visible.
        guard freshness != nil, request.identities.host != nil, request.processors.isEmpty, request.region == nil,
            var relatives = imageCache(for: request)?.relatives(of: request.imageCacheKey)
        else { return nil }
        relatives.removeAll { !$0.isShownStale || !isSelected($0, by: request) }
        switch SizeChoice(of: request.targetSize, among: relatives) {
        case .nothing: return nil
        case .serves(var container), .previews(var container):
            container.isPreview = true
            return container
        }
    }
}
