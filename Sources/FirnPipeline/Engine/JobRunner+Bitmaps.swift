import FirnData
import FirnImage
import FirnSync

// Decoded images on disk: shown instead of being decoded again, kept once they have been decoded.
extension JobRunner {
    /// Ends the tasks of a job that the bitmap store has the image for. Blocks on the disk.
    ///
    /// - Returns: whether somebody still waits for the job.
    func serveFromBitmaps(_ ticket: JobTicket) -> Bool {
        guard environment.bitmapStore != nil else { return true }
        for task in state.withLock({ $0.table.clients(of: ticket) }) {
            let request = task.request
            guard let container = environment.storedImage(for: request) else { continue }
            // Order: into memory before the task leaves the table, so that whoever asks in between finds one or the
            // other.
            if request.options.writesMemory { environment.imageCache(for: request)?[request.imageCacheKey] = container }
            state.withLock { $0.statistics.bitmapHits += 1 }
            task.end(.success(ImageResponse(container: container, request: request, cacheType: .bitmap)))
            let now = JobRunner.now()
            change { $0.cancel(task.ticket, now: now) }
        }
        return state.withLock { $0.table.isWanted(ticket) }
    }

    /// Has an image be written, in the background, under the names of those who end with it.
    func keepOnDisk(_ origin: ImageResponse.Origin, of work: JobWork, for endings: [ImageTask]) {
        guard environment.bitmapStore != nil else { return }
        // An image that came from memory without a step has nothing that is worth keeping.
        if work.isHeld { return }
        var last: ImageCacheKey?
        for task in endings where task.request.options.writesDisk && task.request.imageCacheKey != last {
            guard environment.bitmapStore(for: task.request) != nil else { continue }
            last = task.request.imageCacheKey
            let call = state.withLock { state -> IdleWorkers.Call in
                guard !state.isClosed else { return .none }
                addStore(JobWork(storing: origin, of: task.request), &state)
                return state.call()
            }
            perform(call)
        }
    }
}
