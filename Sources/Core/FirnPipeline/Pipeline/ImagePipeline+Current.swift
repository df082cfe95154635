import FirnImage

extension ImagePipeline {
    /// Returns whether a view that shows the image of `response` would get the same image from another load of
    /// `request`: the image is fresh, its file is unchanged, and the memory cache has no other image in its place.
    ///
    /// Costs one lookup in the memory cache, and one system call for the image of a file.
    package func isCurrent(_ response: ImageResponse, for request: ImageRequest) -> Bool {
        let shown = response.container
        let environment = engine.environment
        guard environment.isCurrent(shown, of: request) else { return false }
        guard !request.options.contains(.disableMemoryCacheReads),
            let cached = environment.imageCache(for: response.request)?[response.request.imageCacheKey],
            !cached.isPreview
        else { return true }
        // Both share their pixels in memory.
        return cached.image.withUnsafeBytes { $0.baseAddress } == shown.image.withUnsafeBytes { $0.baseAddress }
    }

    /// The stale image of a request in the memory cache, at any size, as a preview; `nil` if there is none or it must
    /// not be shown.
    package func staleImage(for request: ImageRequest) -> ImageResponse? {
        let request = keyed(request)
        let route = ImageRoute(of: request, in: engine.environment)
        guard route.isPreviewStale, let container = route.preview else { return nil }
        return ImageResponse(ImageResponse.Origin(container, nil, .memory, isStale: true), for: request)
    }
}
