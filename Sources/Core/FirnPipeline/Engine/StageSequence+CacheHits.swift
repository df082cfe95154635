import FirnData
import FirnImage
import Synchronization

// Waiting tasks are served from caches, before their job reads or transfers bytes.
extension StageSequence {
    /// Ends the tasks whose image was added to the memory cache after they were added.
    ///
    /// - Returns: whether a task still waits for the job.
    func serveFromMemory(_ ticket: JobTicket) -> Bool {
        guard environment.keepsImages else { return true }
        for task in shell.tasks(of: ticket) {
            guard task.request.readsMemory, let container = environment.cachedImage(for: task.request) else {
                continue
            }
            task.end(.success(ImageResponse(container: container, request: task.request, cacheType: .memory)))
            shell.cancel(task)
        }
        return shell.isWanted(ticket)
    }

    /// Ends the tasks whose image is about to be encoded for the data cache, or is in the bitmap store. Blocks on disk
    /// I/O.
    func serveFromDisk(_ ticket: JobTicket, _ job: EngineJob) {
        for task in environment.pending.isEmpty ? [] : shell.tasks(of: ticket) {
            guard let container = environment.pendingImage(for: task.request) else { continue }
            end(task, with: container, from: .disk, job)
        }
        for task in environment.keepsBitmaps ? shell.tasks(of: ticket) : [] {
            guard let container = environment.storedImage(for: task.request) else { continue }
            end(task, with: container, from: .bitmap, job)
        }
    }

    /// Counts a hit on disk, and ends a task with its image.
    ///
    /// Order: into memory before the task leaves the table, so that a concurrent request finds one or the other.
    private func end(
        _ task: ImageTask, with container: ImageContainer, from cacheType: ImageResponse.CacheType, _ job: EngineJob
    ) {
        shell.read { state in
            if cacheType == .disk { state.statistics.diskHits += 1 } else { state.statistics.bitmapHits += 1 }
        }
        let request = task.request
        if request.options.writesMemory, !job.isForgotten(.memory) {
            environment.imageCache(for: request)?[request.imageCacheKey] = container
            // A removal in the meantime has not seen the image.
            if job.isForgotten(.memory) { environment.imageCache(for: request)?[request.imageCacheKey] = nil }
        }
        task.end(.success(ImageResponse(container: container, request: request, cacheType: cacheType)))
        shell.cancel(task)
    }

    /// Ends the tasks whose rendering is in the store of their program. May block.
    func serveRendered(_ ticket: JobTicket, _ job: EngineJob) {
        guard job.request.rendering != nil, let standIn = ImageResponse.standIn else { return }
        var found: [String: ImageResponse.Origin?] = [:]
        for task in shell.tasks(of: ticket) {
            guard let rendering = task.request.rendering else { continue }
            let origin: ImageResponse.Origin? =
                found[rendering.identifier]
                ?? rendering.stored().map { ImageResponse.Origin(standIn, nil, .disk, value: $0) }
            found[rendering.identifier] = .some(origin)
            guard let origin else { continue }
            task.end(.success(ImageResponse(origin, for: task.request)))
            shell.cancel(task)
        }
    }

    /// Serves tasks whose region comes from the tiles of a large image: ends those without processors, and
    /// restarts the others with the region. Blocks on disk I/O.
    func serveFromTiles(_ ticket: JobTicket, _ job: EngineJob) {
        guard environment.keepsBitmaps else { return }
        var last: (key: ImageCacheKey, container: ImageContainer)?
        for task in shell.tasks(of: ticket, where: { $0.request.region != nil }) {
            let request = task.request
            let known = last.flatMap { $0.key == request.imageCacheKey ? $0.container : nil }
            guard let container = known ?? environment.tiledImage(for: request) else { continue }
            last = (request.imageCacheKey, container)
            guard request.processors.isEmpty else {
                shell.read { $0.statistics.bitmapHits += 1 }
                shell.cancel(task)
                completion.process(container, for: task)
                continue
            }
            end(task, with: container, from: .bitmap, job)
        }
    }

    /// Restarts tasks with processed images on disk if their original is not there. Any policy allows this, since a
    /// read costs less than a load. Blocks on disk I/O.
    ///
    /// - Returns: whether a task still waits for the job.
    func serveProcessed(_ ticket: JobTicket) -> Bool {
        for task in shell.tasks(of: ticket, where: { $0.request.isProcessed && !$0.request.wantsBytes }) {
            guard let image = processedImage(for: task) else { continue }
            shell.cancel(task)
            completion.read(image, for: task)
        }
        return shell.isWanted(ticket)
    }

    /// The stored image with the fewest remaining steps for a task.
    private func processedImage(for task: ImageTask) -> ProcessedImage? {
        let lookup = task.processedLookup.load(ordering: .relaxed)
        let request = task.request
        guard lookup == .untried || lookup == .finalTried, request.options.readsDisk, request.isKeptOnDisk,
            environment.hasDataCache(for: request)
        else { return nil }
        return request.processedImages.first { image in
            !(image.isFinal && lookup == .finalTried) && environment.hasEntry(image.key, for: request)
        }
    }
}
