import FirnProcessing
import FirnSync

/// The pyramids of large images: their sources, and the regions that they serve.
final class PyramidTiles: Sendable {
    let caches: PipelineCaches
    /// The digests of large files whose tiles are on disk, by path. Few files have pyramids at the same time.
    private let digests = RecentValues<String, (version: SourceVersion, digest: UInt64)>(capacity: 64)
    /// The indexes of large images without a pyramid, by the key that it would have.
    let partIndexes = RecentValues<ImageCacheKey, (source: PyramidSource, index: Data)>(capacity: 4)

    init(_ caches: PipelineCaches) { self.caches = caches }

    /// Returns the source of a pyramid of these bytes; `nil` if a change of the bytes could not be detected, or the
    /// response must not be stored.
    func pyramidSource(
        of bytes: FetchedBytes, _ properties: ImageProperties, _ request: ImageRequest
    ) -> PyramidSource? {
        let validator = PyramidTiles.validator(of: bytes)
        guard bytes.version != nil || !validator.isEmpty else { return nil }
        var source = PyramidSource(
            size: properties.size, orientation: properties.orientation, format: properties.format,
            version: bytes.version, validator: validator)
        if bytes.version == nil, let freshness = caches.freshness {
            let known = freshness.freshness(of: bytes, for: request)
            guard known.mayKeep else { return nil }
            // Without the time of the response, tiles are current only if the bytes are available to compare with.
            source.freshNanoseconds = bytes.known == nil && bytes.times == nil ? 0 : known.until
        }
        return source
    }

    /// The validators of the response and the number of bytes; empty without validators.
    private static func validator(of bytes: FetchedBytes) -> String {
        guard bytes.version == nil, let headers = bytes.response?.headers else { return "" }
        let validators = [headers["ETag"], headers["Last-Modified"]].compactMap { $0 }
        return validators.isEmpty ? "" : (validators + ["\(bytes.count)"]).joined(separator: "\n")
    }

    /// Returns the region of a request from the tiles on disk, if they are current. Blocks on the disk.
    func tiledImage(for request: ImageRequest) -> ImageContainer? {
        guard let region = request.region, !request.wantsBytes else { return nil }
        let target = request.targetSize ?? ImageProcessors.Composition.decodingTarget(of: request.processors)
        return tiles(region, target, request.pixelFormat, for: request).image
    }

    /// Returns the version of a request's file if a pyramid's source has the same content.
    private func currentVersion(of request: ImageRequest, _ source: PyramidSource) -> SourceVersion? {
        guard let path = request.identities.path, let now = caches.currentVersion(path), has(path, now, source) else {
            return nil
        }
        return now
    }

    /// Returns whether a file of this version has the content that a pyramid was built from. Reads all of it, once, if
    /// only the time of its last change is another one.
    private func has(_ path: String, _ version: SourceVersion, _ source: PyramidSource) -> Bool {
        guard let own = source.version, own != version else { return source.version == version }
        return own.isLike(version) && source.digest != 0
            && digest(of: path, version) == source.digest
    }

    /// Returns the digest of a file, which is read once for each version; `nil` if it cannot be read or is of another
    /// version by now. Blocks on the disk.
    func digest(of path: String, _ version: SourceVersion) -> UInt64? {
        if let found = digests[path], found.version == version { return found.digest }
        guard let file = try? caches.files.open(path), SourceVersion(file.status) == version,
            let digest = try? file.digest(), (try? caches.files.status(path)).map({ SourceVersion($0) }) == version
        else { return nil }
        digests.set((version, digest), for: path)
        return digest
    }

    /// Returns whether a pyramid was built from these bytes.
    func isSource(_ source: PyramidSource, of bytes: FetchedBytes, _ request: ImageRequest) -> Bool {
        let validator = PyramidTiles.validator(of: bytes)
        if source.isSameSource(version: bytes.version, validator: validator) { return true }
        guard let version = bytes.version, let path = request.identities.path else { return false }
        return has(path, version, source)
    }

    /// Returns a region from the tiles on disk, or the index to decode it by, if they are current. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - request: a request for the image, whatever its region and size.
    ///   - bytes: the bytes of the image, if available; otherwise tiles are used as long as a stored image is, and
    ///     there is no index.
    func tiles(
        _ region: ImageRegion, _ target: TargetSize?, _ format: PixelFormat, for request: ImageRequest,
        _ bytes: FetchedBytes? = nil
    ) -> (image: ImageContainer?, index: Data?) {
        guard request.options.readsDisk, bytes != nil || !caches.isReplaced(request),
            let store = caches.bitmapStore(for: request),
            let pyramid = store.pyramid(for: request.pyramidKey)
        else { return (nil, bytes.flatMap { keptIndex(for: request, $0) }) }
        if let bytes {
            guard isSource(pyramid.source, of: bytes, request) else { return (nil, nil) }
        }
        guard request.options.named.isEmpty, format == .bgra8Premultiplied || format == .rgb8,
            let container = image(region, target, format, of: pyramid, request)
        else { return (nil, bytes.flatMap { _ in pyramid.partIndex }) }
        if bytes != nil || caches.isCurrent(container, of: request) { return (container, nil) }
        // A changed version does not come back. Tiles that are only stale may be revalidated.
        if pyramid.source.version != nil { try? store.remove(request.pyramidKey) }
        return (nil, nil)
    }

    /// Returns the index in memory of an image without a pyramid; `nil` if there is none of these bytes.
    private func keptIndex(for request: ImageRequest, _ bytes: FetchedBytes) -> Data? {
        guard let kept = partIndexes[request.pyramidKey], isSource(kept.source, of: bytes, request) else {
            return nil
        }
        return kept.index
    }

    /// Returns a region of a pyramid; `nil` unless the level that it needs has tiles.
    private func image(
        _ region: ImageRegion, _ target: TargetSize?, _ format: PixelFormat, of pyramid: StoredPyramid,
        _ request: ImageRequest
    ) -> ImageContainer? {
        guard let area = region.resolved(in: pyramid.source.displaySize) else { return nil }
        let size = target?.resolved(for: area.size) ?? area.size
        guard var image = pyramid.image(of: area, size: size) else { return nil }
        if format == .rgb8, image.isOpaque, let converted = try? image.converted(to: .rgb8) {
            image = converted
        }
        var container = ImageContainer(
            image: image, format: pyramid.source.format, originalSize: pyramid.source.displaySize)
        container.sourceVersion = pyramid.source.version.map { currentVersion(of: request, pyramid.source) ?? $0 }
        container.area = area
        container.freshNanoseconds = pyramid.source.freshNanoseconds
        return container
    }
}

extension ImageRequest {
    /// The key of the pyramid of the request's image in the bitmap store.
    var pyramidKey: ImageCacheKey { ImageCacheKey(dataCacheKey + "|tiles") }
}

extension StoredPyramid {
    /// The least scale that is left to the resize from a level, as for decoders.
    private static var gap: Double { 2 }

    /// Returns an area of the upright image at a size; `nil` if tiles are damaged, or the levels that it needs have
    /// none.
    ///
    /// Uses a level with at least twice the wanted columns and rows, unless nothing is reduced, as decodes do; of the
    /// first level with tiles, at least as many, unless that is the image.
    func image(of area: PixelArea, size: PixelSize) -> Bitmap? {
        let stored = source.orientation.storedArea(of: area, in: source.size)
        let wanted = source.orientation.displaySize(of: size)
        let scale = min(
            Double(stored.size.width) / Double(wanted.width), Double(stored.size.height) / Double(wanted.height))
        var level = 0
        while level + 1 < shape.levels.count, scale >= Self.gap * Double(2 << level) { level += 1 }
        if level < shape.firstLevel, scale >= Double(1 << shape.firstLevel) { level = shape.firstLevel }
        guard level >= shape.firstLevel else { return nil }
        let factor = Double(1 << level)
        let columns = Bitmap.span(stored.x, stored.size.width, scale: 1 / factor, side: shape.levels[level].width)
        let rows = Bitmap.span(stored.y, stored.size.height, scale: 1 / factor, side: shape.levels[level].height)
        // Pixels around the part, which the resize reads at its edges.
        let margin =
            level == 0 && wanted == stored.size ? 0 : Int(saturating: min(3 * scale / factor, 4096).rounded(.up)) + 1
        let left = max(0, Int(saturating: columns.lowerBound) - margin)
        let top = max(0, Int(saturating: rows.lowerBound) - margin)
        let right = min(shape.levels[level].width, Int(saturating: columns.upperBound.rounded(.up)) + margin)
        let bottom = min(shape.levels[level].height, Int(saturating: rows.upperBound.rounded(.up)) + margin)
        guard left < right, top < bottom, let part = part(of: level, columns: left..<right, rows: top..<bottom),
            let image = try? part.resized(
                columns: columns.lowerBound - Double(left)..<columns.upperBound - Double(left),
                rows: rows.lowerBound - Double(top)..<rows.upperBound - Double(top), to: wanted)
        else { return nil }
        return try? image.oriented(source.orientation)
    }
}
