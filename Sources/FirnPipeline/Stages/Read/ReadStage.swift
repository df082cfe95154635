import FirnData
import FirnImage
import FoundationEssentials
import FirnSystem

/// Reads bytes that need no network: files, `data:` addresses, bytes at hand, and the data cache. Blocks on the disk.
struct ReadStage {
    let environment: StageEnvironment

    /// The stage in which a request's bytes start their way: those that no disk has go straight to the loader.
    static func first(for request: ImageRequest, hasDataCache: Bool) -> JobStage {
        if request.identities.host != nil {
            return hasDataCache && request.options.readsDisk || !request.options.loads ? .read : .transfer
        }
        return firstOfLocal(request, hasDataCache: hasDataCache)
    }

    private static func firstOfLocal(_ request: ImageRequest, hasDataCache: Bool) -> JobStage {
        switch request.source.reader {
        case .loader, .closure:
            hasDataCache && request.options.readsDisk || !request.options.loads ? .read : .transfer
        case .image: request.options.loads ? .transfer : .read
        case .file, .inline, .bytes: .read
        }
    }

    func run(_ work: JobWork) -> StageOutcome {
        if case .made(let key) = work.kind {
            // Without an error: those who wait go another way.
            // What is no longer fresh is made again of an original that is.
            guard case .fresh(let bytes) = cached(key, work.request) else { return .failed }
            return finish(work, bytes)
        }
        do throws(ImageLoadingError) {
            switch work.request.source.reader {
            case .bytes(let data): return finish(work, FetchedBytes(data))
            case .inline(let url):
                guard let data = InlineAddress.bytes(of: url) else {
                    throw ImageLoadingError(
                        .request, at: .loading, source: url, message: "not a data URL: no comma, or damaged base64")
                }
                return finish(work, FetchedBytes(data))
            case .file where !work.request.options.isTrusted:
                throw ImageLoadingError(
                    .request, at: .loading, source: work.request.description,
                    message: "an untrusted address may not name a file; make the request with the file's path")
            case .file(let path): return finish(work, try file(path, wantsBytes: work.request.wantsBytes))
            case .loader, .closure:
                switch work.request.options.readsDisk ? cached(work.request.dataCacheKey, work.request) : nil {
                case .fresh(let bytes): return finish(work, bytes)
                case .stale(let stale):
                    // Where nobody may be asked, what there is has to do.
                    guard work.request.options.loads else { return finish(work, stale.bytes()) }
                    work.stale = stale
                case nil:
                    work.missesOriginal = work.request.options.readsDisk
                    guard work.request.options.loads else { throw notCached(work.request) }
                }
                return .moves(.transfer)
            case .image: throw notCached(work.request)
            }
        } catch {
            work.fail(error)
            return .failed
        }
    }

    private func notCached(_ request: ImageRequest) -> ImageLoadingError {
        ImageLoadingError(
            .source, at: .loading, source: request.description,
            message: "not in any cache; the option returnCacheDataDontLoad forbids loading it")
    }

    private func finish(_ work: JobWork, _ bytes: FetchedBytes) -> StageOutcome {
        work.product = .bytes(bytes)
        return .finished
    }

    private func file(_ path: String, wantsBytes: Bool) throws(ImageLoadingError) -> FetchedBytes {
        let file = try reading(path) { () throws(FileError) in try environment.files.open(path) }
        let limit = environment.limits.maximumBytes
        guard file.status.size <= limit else {
            throw ImageLoadingError(
                .limit, at: .loading, source: path,
                message: "the file has \(file.status.size) bytes; ImageLimits.maximumBytes allows \(limit)")
        }
        if file.status.size > 0, !wantsBytes { return FetchedBytes(file) }
        // What the kernel makes up as it is read has no length beforehand.
        return FetchedBytes(
            try reading(path) { () throws(FileError) in try environment.files.read(path, first: limit + 1) })
    }

    private func reading<Result>(
        _ path: String, _ body: () throws(FileError) -> Result
    ) throws(ImageLoadingError) -> Result {
        do {
            return try body()
        } catch {
            let isDirectory = error.code == EISDIR
            throw ImageLoadingError(
                .source, at: .loading, source: path,
                message: isDirectory
                    ? "is a directory; ask requests(inFolder:) for the images in it"
                    : "cannot \(error.call): \(error.reason)",
                underlying: error)
        }
    }

    /// What the data cache has.
    private enum Cached {
        case fresh(FetchedBytes)
        /// The source is to be asked whether it still holds.
        case stale(StaleBytes)
    }

    /// An entry of the data cache. A cache that fails is a cache that has nothing.
    private func cached(_ key: String, _ request: ImageRequest) -> Cached? {
        guard let entry = environment.cachedEntry(key, for: request), !entry.data.isEmpty else { return nil }
        guard let rules = environment.freshness, let stored = StoredResponse(entry) else {
            let response = DataResponse(
                url: request.description, headers: entry.headers, expectedLength: entry.data.count)
            return .fresh(FetchedBytes(entry.data, response: response, diskKey: key))
        }
        switch rules.judge(stored, for: request) {
        case .unusable: return nil
        case .fresh(let until):
            let known = rules.fresh(stored, until: until, for: request)
            return .fresh(
                FetchedBytes(entry.data, response: stored.answer(entry.data.count), diskKey: key, known: known))
        case .stale(let mayShow, let onError):
            return .stale(
                StaleBytes(
                    data: entry.data, key: key, stored: stored, mayShow: mayShow, mayServeOnError: onError))
        }
    }
}
