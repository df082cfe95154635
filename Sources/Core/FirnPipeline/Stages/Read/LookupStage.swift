import FirnImage

/// Looks for the image of a request in the caches that have whole images, apart from the bytes of its source. Blocks on
/// disk I/O.
///
/// Order: the memory cache, results that the program stores, images that wait to be stored, the bitmap store, tiles.
/// Invariant: each cache is read once for equal requests of one lookup.
struct LookupStage {
    private let tiles: PyramidTiles
    private var caches: PipelineCaches { tiles.caches }
    /// The latest image of the bitmap store or of tiles: most tasks of a job want the same one.
    private var last: (key: ImageCacheKey, found: Found)?
    private var renderings: [String: ImageResponse.Origin?] = [:]

    enum Found {
        case image(ImageContainer, ImageResponse.CacheType)
        /// The result of a rendering.
        case rendered(ImageResponse.Origin)
        /// The region of the request, without its processors.
        case region(ImageContainer)
    }

    init(_ tiles: PyramidTiles) { self.tiles = tiles }

    mutating func find(_ request: ImageRequest) -> Found? {
        if let container = caches.readableImage(for: request) { return .image(container, .memory) }
        if let rendering = request.rendering, let origin = stored(rendering) { return .rendered(origin) }
        if !caches.pending.isEmpty, let container = caches.pendingImage(for: request) {
            return .image(container, .disk)
        }
        guard caches.keepsBitmaps else { return nil }
        if let last, last.key == request.imageCacheKey { return last.found }
        guard let found = bitmap(request) else { return nil }
        last = (request.imageCacheKey, found)
        return found
    }

    private mutating func stored(_ rendering: ImageRendering) -> ImageResponse.Origin? {
        if let known = renderings[rendering.identifier] { return known }
        let origin = ImageResponse.standIn.flatMap { standIn in
            rendering.stored().map { ImageResponse.Origin(standIn, nil, .disk, value: $0) }
        }
        renderings[rendering.identifier] = .some(origin)
        return origin
    }

    private func bitmap(_ request: ImageRequest) -> Found? {
        if let container = caches.storedImage(for: request) { return .image(container, .bitmap) }
        guard request.region != nil, let container = tiles.tiledImage(for: request) else { return nil }
        return request.processors.isEmpty ? .image(container, .bitmap) : .region(container)
    }
}
