import FirnData
import FirnImage

// What of the memory cache may be shown.
extension StageEnvironment {
    /// The picture of a request in the memory cache, if its file is still the one it was decoded from.
    func cachedPicture(for request: ImageRequest) -> ImageContainer? {
        guard let container = imageCache(for: request)?[request.imageCacheKey] else { return nil }
        return isCurrent(container, of: request) ? container : nil
    }

    /// The same picture at other sizes.
    func cachedRelatives(of key: ImageCacheKey, for request: ImageRequest) -> [ImageContainer] {
        guard let found = imageCache(for: request)?.relatives(of: key), !found.isEmpty else { return [] }
        guard let path = request.identities.path else { return found }
        let version = currentVersion(path)
        return found.filter { $0.sourceVersion == nil || $0.sourceVersion == version }
    }

    /// Whether the file that a picture was decoded from has not changed since; `true` for what is from no file.
    ///
    /// Costs one system call, and that only for files.
    @inline(__always)
    func isCurrent(_ container: ImageContainer, of request: ImageRequest) -> Bool {
        guard let version = container.sourceVersion else { return true }
        return isCurrent(version, of: request)
    }

    /// The version that the file at `path` has now, as far as the system knows without asking a server; `nil` if there is none.
    func currentVersion(_ path: String) -> SourceVersion? {
        (try? files.knownStatus(path)).map { SourceVersion($0) }
    }

    private func isCurrent(_ version: SourceVersion, of request: ImageRequest) -> Bool {
        guard let path = request.identities.path else { return true }
        return currentVersion(path) == version
    }
}
