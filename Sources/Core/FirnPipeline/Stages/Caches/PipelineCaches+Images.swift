// Lookups in the memory cache.
extension PipelineCaches {
    /// The image of a request in the memory cache, if its file has not changed since the decode. Never a preview.
    func cachedImage(for request: ImageRequest) -> ImageContainer? {
        guard let container = imageCache(for: request)?[request.imageCacheKey], !container.isPreview else { return nil }
        return isCurrent(container, of: request) ? container : nil
    }

    /// The same, if the request may read the memory cache.
    func readableImage(for request: ImageRequest) -> ImageContainer? {
        keepsImages && request.readsMemory ? cachedImage(for: request) : nil
    }

    /// The same image at other sizes.
    func cachedRelatives(of key: ImageCacheKey, for request: ImageRequest) -> [ImageContainer] {
        guard var found = imageCache(for: request)?.relatives(of: key), !found.isEmpty else { return [] }
        if freshness != nil { found.removeAll { !isFresh($0, for: request) || !isSelected($0, by: request) } }
        guard let path = request.identities.path else { return found }
        let version = currentVersion(path)
        return found.filter { $0.sourceVersion == nil || $0.sourceVersion == version }
    }

    /// Returns whether an image is fresh, is the variant that the request selects, and its file has not changed since
    /// the decode.
    ///
    /// Costs one system call for files, and one read of the clock for images that expire.
    @inline(__always)
    func isCurrent(_ container: ImageContainer, of request: ImageRequest) -> Bool {
        if container.freshNanoseconds != .max, !isFresh(container, for: request) { return false }
        if !isSelected(container, by: request) { return false }
        guard let version = container.sourceVersion else { return true }
        return isCurrent(version, of: request)
    }

    /// The current version of the file at `path`, as far as the system knows it without contacting a file server;
    /// `nil` if there is no file.
    func currentVersion(_ path: String) -> SourceVersion? {
        (try? files.knownStatus(path)).map { SourceVersion($0) }
    }

    /// Returns whether an image may be used without a revalidation.
    func isFresh(_ container: ImageContainer, for request: ImageRequest) -> Bool {
        guard container.freshNanoseconds != .max, let freshness else { return true }
        let moment = freshness.moment
        return moment < container.freshNanoseconds && moment >= container.freshSince
            || freshness.mode(for: request) == .unlimited
            || !request.options.loads
    }

    /// Returns whether a request selects this variant of the images at its address. Calls the delegate only if the
    /// response depends on fields of the request.
    @inline(__always)
    func isSelected(_ container: ImageContainer, by request: ImageRequest) -> Bool {
        !container.varies || freshness?.selects(container.selecting, request) ?? true
    }

    private func isCurrent(_ version: SourceVersion, of request: ImageRequest) -> Bool {
        guard let path = request.identities.path else { return true }
        return currentVersion(path) == version
    }
}

extension SourceVersion {
    init(_ status: FileStatus) {
        self.init(size: status.size, modified: status.modified, changed: status.changed, inode: status.inode)
    }
}
