/// Reads bytes that need no network: files, `data:` addresses, bytes in memory, and the data cache. Blocks on disk
/// I/O.
struct ReadStage {
    let caches: PipelineCaches
    let opener: TransferOpener
    /// The most bytes of a file.
    let maximumBytes: Int
    let readsWholeFiles: Bool

    /// Returns the first stage of a request: `transfer` for bytes that no file or cache can have.
    static func first(for request: ImageRequest, hasDataCache: Bool) -> JobStage {
        let first: JobStage = hasDataCache && request.options.readsDisk || !request.options.loads ? .read : .transfer
        if request.identities.host != nil { return first }
        switch request.source.reader {
        case .loader, .closure: return first
        case .image: return request.options.loads ? .transfer : .read
        case .file, .inline, .bytes, .nothing: return .read
        }
    }

    /// Reads the bytes of a request. If the data cache has none, they need a transfer, also where loading is forbidden.
    ///
    /// - Parameter opensFiles: whether a file of any length is opened, to be read in parts. Default: a request for
    ///   bytes reads the whole file, within the limits.
    func run(_ request: ImageRequest, opensFiles: Bool = false) -> StageOutcome {
        do throws(ImageLoadingError) {
            switch request.source.reader {
            case .bytes(let data): return .done(.bytes(FetchedBytes(data)))
            case .inline(let url):
                guard let data = InlineAddress.bytes(of: url) else {
                    throw .init(.request, at: .loading, of: request, "not a data URL: no comma, or damaged base64")
                }
                return .done(.bytes(FetchedBytes(data)))
            case .file where !request.options.isTrusted: throw .untrustedFile(request)
            case .file(let path): return .done(.bytes(try file(path, of: request, opensFiles)))
            case .loader, .closure:
                guard request.options.readsDisk, let found = cached(request.dataCacheKey, request) else {
                    return .needsTransfer(nil)
                }
                // If loading is forbidden, stale bytes are the result.
                if case .needsTransfer(let stale?) = found, !request.options.loads, let rules = caches.freshness {
                    return .done(.bytes(stale.bytes(rules)))
                }
                return found
            case .image: throw notCached(request)
            case .nothing:
                throw ImageLoadingError(
                    .request, at: .request, source: ImageRequest.noAddress, message: "the request has no address")
            }
        } catch {
            return .failed(error)
        }
    }

    /// Reads a processed image from the data cache. If there is no fresh one, its tasks move to the next place.
    func run(processedImage key: String, of request: ImageRequest) -> StageOutcome {
        guard let found = cached(key, request), case .done = found else { return .servedElsewhere }
        return found
    }

    func notCached(_ request: ImageRequest) -> ImageLoadingError {
        let message = "not in any cache; the option returnCacheDataDontLoad forbids loading it"
        return .init(.request, at: .loading, of: request, message)
    }

    private func file(
        _ path: String, of request: ImageRequest, _ opensFiles: Bool
    ) throws(ImageLoadingError) -> FetchedBytes {
        let limit = maximumBytes
        let size: Int
        do throws(DataFileError) {
            let file = try caches.files.open(path)
            size = file.status.size
            if size > 0, opensFiles || size <= limit && !request.wantsOriginal {
                return readsWholeFiles && !opensFiles
                    ? FetchedBytes(try file.read(at: 0, count: size)) : FetchedBytes(file)
            }
            // A file that the kernel generates on read has no length beforehand.
            if size <= limit { return FetchedBytes(try caches.files.read(path, first: limit + 1)) }
        } catch {
            throw ImageLoadingError(reading: path, error)
        }
        throw ImageLoadingError(
            ImageError(
                .limit, at: .reading, "the file has \(size) bytes; \(limit) are allowed", path: path,
                setting: "ImageLimits.maximumBytes"), at: .loading, source: path)
    }

    /// Returns the outcome of a read of an entry: its bytes, or stale bytes that need a revalidation. `nil` if there is
    /// no entry. A failing cache behaves like an empty one.
    private func cached(_ key: String, _ request: ImageRequest) -> StageOutcome? {
        guard opener.readsWholeEntries(request), let (entry, key) = caches.cachedEntry(key, for: request),
            !entry.data.isEmpty
        else { return nil }
        guard let rules = caches.freshness, let stored = StoredResponse(entry) else {
            let response = DataResponse(
                url: request.description, headers: entry.headers, expectedLength: entry.data.count)
            return .done(.bytes(FetchedBytes(entry.data, response: response, diskKey: key)))
        }
        // The HTTP cache may have stored a part.
        if stored.status == 206 { return nil }
        switch rules.judge(stored, for: request) {
        case .unusable: return nil
        case .fresh(let until):
            let known = rules.fresh(stored, until: until, for: request)
            let response = rules.response(of: stored, count: entry.data.count)
            return .done(.bytes(FetchedBytes(entry.data, response: response, diskKey: key, known: known)))
        case .stale(let mayShow, let onError):
            let stale = StaleBytes(
                data: entry.data, key: key, stored: stored, mayShow: mayShow, mayServeOnError: onError)
            // The image of stale bytes is shown until the new one is there; a caller that waits for bytes gets them.
            guard request.wantsOriginal, rules.servesWhileRevalidating(stored, request) else {
                return .needsTransfer(stale)
            }
            opener.revalidate(.init(response: stored, data: entry.data, key: key), for: request)
            return .done(.bytes(stale.bytes(rules)))
        }
    }
}

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
