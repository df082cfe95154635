import FirnData
import FirnImage

// What of the memory cache may be shown.
extension StageEnvironment {
    /// The image of a request in the memory cache, if its file is still the one it was decoded from. No preview is.
    func cachedImage(for request: ImageRequest) -> ImageContainer? {
        guard let container = imageCache(for: request)?[request.imageCacheKey], !container.isPreview else { return nil }
        return isCurrent(container, of: request) ? container : nil
    }

    /// The same image at other sizes.
    func cachedRelatives(of key: ImageCacheKey, for request: ImageRequest) -> [ImageContainer] {
        guard var found = imageCache(for: request)?.relatives(of: key), !found.isEmpty else { return [] }
        if freshness != nil { found.removeAll { !isFresh($0, for: request) } }
        guard let path = request.identities.path else { return found }
        let version = currentVersion(path)
        return found.filter { $0.sourceVersion == nil || $0.sourceVersion == version }
    }

    /// Whether the file that an image was decoded from has not changed since; `true` for what is from no file.
    ///
    /// And whether it is still fresh. Costs one system call for files, and a look at the clock for what has a last
    /// hour.
    @inline(__always)
    func isCurrent(_ container: ImageContainer, of request: ImageRequest) -> Bool {
        if container.freshNanoseconds != .max, !isFresh(container, for: request) { return false }
        guard let version = container.sourceVersion else { return true }
        return isCurrent(version, of: request)
    }

    /// The version that the file at `path` has now, as far as the system knows without asking a server; `nil` if there
    /// is none.
    func currentVersion(_ path: String) -> SourceVersion? {
        (try? files.knownStatus(path)).map { SourceVersion($0) }
    }

    /// Whether an image may serve without its source being asked.
    func isFresh(_ container: ImageContainer, for request: ImageRequest) -> Bool {
        guard container.freshNanoseconds != .max, let freshness else { return true }
        return freshness.moment < container.freshNanoseconds || freshness.mode(for: request) == .unlimited
            || !request.options.loads
    }

    /// The image of a request that is no longer fresh, to be shown until the right one is there.
    func staleImage(for request: ImageRequest) -> ImageContainer? {
        guard freshness != nil, request.identities.host != nil,
            var container = imageCache(for: request)?[request.imageCacheKey], !container.isPreview,
            container.isShownStale
        else { return nil }
        container.isPreview = true
        return container
    }

    private func isCurrent(_ version: SourceVersion, of request: ImageRequest) -> Bool {
        guard let path = request.identities.path else { return true }
        return currentVersion(path) == version
    }
}
