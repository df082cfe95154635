import FirnData
import FirnImage
import FirnSync
import Synchronization

/// Decides what the caches store of finished jobs, and runs the stores. No task waits for a store.
final class CacheWriter: Sendable {
    private let shell: TableShell
    private let environment: StageEnvironment

    init(_ shell: TableShell, _ environment: StageEnvironment) {
        self.shell = shell
        self.environment = environment
    }

    /// Puts the image of a job into the memory cache, and requests a store of its bitmap.
    ///
    /// Order: before the job leaves the table, so that a concurrent request finds one or the other.
    func cacheImage(_ started: StartedJob, _ outcome: StageOutcome) {
        guard environment.keepsImages || environment.keepsBitmaps, case .done(.image(let origin, _)?) = outcome,
            origin.container.freshNanoseconds != .min
        else { return }
        let endings = shell.endings(of: started.ticket)
        var last: ImageCacheKey?
        for task in endings where task.request.writesMemory && task.request.imageCacheKey != last {
            environment.imageCache(for: task.request)?[task.request.imageCacheKey] = origin.container
            last = task.request.imageCacheKey
        }
        storeBitmap(origin, of: started.job, for: endings)
    }

    /// Requests a store of the bitmap for each key of the tasks that end with it.
    private func storeBitmap(_ origin: ImageResponse.Origin, of job: EngineJob, for endings: [ImageTask]) {
        guard environment.keepsBitmaps else { return }
        // An image of the memory cache was stored before.
        if case .useMemoryImage = job.work { return }
        var last: ImageCacheKey?
        for task in endings where task.request.options.writesDisk && task.request.imageCacheKey != last {
            guard environment.bitmapStore(for: task.request) != nil else { continue }
            last = task.request.imageCacheKey
            shell.changeIfOpen { $0.addStore(.bitmap(origin), for: task.request) }
        }
    }

    /// Adds the stores of a job's product that the policy requires. Called under the lock of the table.
    ///
    /// - Parameter ended: the tasks that end with the job.
    func addStores(
        of job: EngineJob, _ outcome: StageOutcome, _ ended: ArraySlice<ImageTask>,
        _ aftermath: TableShell.Table.Aftermath, _ state: inout TableState
    ) {
        guard case .done(let product?) = outcome else { return }
        let policy = environment.dataCachePolicy
        if case .bytes(let bytes) = product {
            // The bytes of a transfer that was completed without waiting tasks.
            if case .keep = aftermath, bytes.mayStore, policy != .storeEncodedImages {
                state.addStore(.original(bytes), for: job.request)
            }
            return
        }
        let bytes = product.source
        guard policy.keepsProcessed else {
            if bytes.takeStore() { state.addStore(.original(bytes), for: job.request) }
            return
        }
        let isAnimation = bytes.isAnimation
        if bytes.mayStore, isAnimation || policy.keepsOriginal(for: ended.lazy.map(\.request)), bytes.takeStore() {
            state.addStore(.original(bytes), for: job.request)
        }
        guard case .image(let origin, _) = product, !isAnimation, !origin.container.isPreview else { return }
        var last: String?
        for task in ended {
            let request = task.request
            guard policy.encodes(request), request.options.writesDisk, request.isKeptOnDisk, !request.wantsBytes,
                // An image that was read from the data cache is already stored.
                task.processedLookup.load(ordering: .relaxed) != .onFinal, request.isProcessed || !bytes.isFromDisk,
                request.processedDataCacheKey != last
            else { continue }
            last = request.processedDataCacheKey
            state.addStore(.encoded(origin, bytes), for: request)
        }
    }

    /// Stores bytes that are the result of tasks without a decode, if a decoder recognizes their first bytes.
    func store(_ bytes: FetchedBytes, of request: ImageRequest) {
        guard bytes.mayStore, environment.dataCachePolicy != .storeEncodedImages,
            let head = try? bytes.head(ImageFormat.sniffLength),
            environment.decoder(head, bytes.response, for: request) != nil, bytes.takeStore()
        else { return }
        shell.changeIfOpen { $0.addStore(.original(bytes), for: request) }
    }

    /// Stores or drops the first bytes of a body.
    func store(_ part: PartialPart, of request: ImageRequest) {
        shell.changeIfOpen { $0.addStore(.part(part), for: request) }
    }

    /// Runs a store. The cache may write later.
    func run(_ content: StoredContent, for request: ImageRequest) -> StageOutcome {
        let result = Locked<StoreResult?>(nil)
        let size = content.byteCount
        let isBitmap = if case .bitmap = content { true } else { false }
        StoreStage(environment: environment).run(content, for: request) { [shell, environment] ending in
            if case .failed(let error) = ending { environment.report(error, of: request) }
            result.withLock { $0 = ending }
            shell.storeEnded(ending, size, isBitmap: isBitmap)
        }
        if case .original(let bytes) = content {
            // A cache returns an entry as soon as it has accepted it, even if it writes it later.
            let known = result.withLock { $0 } ?? .stored
            for body in bytes.noteStored(known) { body(known) }
        }
        return .done(nil)
    }
}

extension TableShell {
    /// Counts a store that has ended.
    fileprivate func storeEnded(_ result: StoreResult, _ size: Int, isBitmap: Bool) {
        change { state in
            switch result {
            case .stored where isBitmap: state.statistics.bitmapStores += 1
            case .stored: state.statistics.stores += 1
            case .failed: state.statistics.failedStores += 1
            case .skipped: break
            }
            state.stores.end(size)
        }
    }
}
