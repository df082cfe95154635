import FirnData
import FirnImage
import FirnSync

// Previews of kept images that are no longer fresh. They have a stage of their own, so that neither loads nor stores
// wait for them.
extension JobRunner {
    /// Has what is kept shown to the watching tasks of a transfer that has just begun.
    func showStale(_ stale: StaleBytes, _ work: JobWork, _ ticket: JobTicket) {
        // Order: whether a task is watched is asked, not whether it wants a preview: one that is just being joined gets
        // it as its latest.
        let audience = state.withLock { state in
            state.table.clients(of: ticket) { $0.isWatched && !$0.request.wantsBytes }
        }
        addPreview(of: stale, during: work.transfer, to: audience)
    }

    /// Has what is kept shown to a task that begins to be watched after the source was asked.
    func showLater(_ stale: StaleBytes, during transfer: BodyTransfer, to task: ImageTask) {
        guard task.latestPreview == nil, !task.request.wantsBytes else { return }
        addPreview(of: stale, during: transfer, to: [task])
    }

    private func addPreview(of stale: StaleBytes, during transfer: BodyTransfer?, to audience: [ImageTask]) {
        guard !audience.isEmpty, let shelf = transfer?.shelf() else { return }
        let call = state.withLock { state in
            guard !state.isClosed else { return IdleWorkers.Call.none }
            state.table.addDetached(
                JobWork(showing: stale, to: audience, until: shelf.cancellation), stage: .preview)
            return state.call()
        }
        perform(call)
    }

    /// Shows what is kept while its source is asked.
    ///
    /// The image is a preview: a task ends once, with the image that its source confirms or sends. Nothing is made
    /// where decodes that are waited for need the memory, or once the source has answered.
    func show(_ stale: StaleBytes, to audience: [ImageTask], until cancellation: CancellationFlag) {
        var made: [ImageCacheKey: ImageResponse.Origin] = [:]
        for task in audience where !cancellation.isCancelled {
            guard task.state == .running, task.latestPreview == nil else { continue }
            let key = task.request.imageCacheKey
            if made[key] == nil,
                var container = lending({
                    image(of: stale.bytes(), for: task.request, cancellation: cancellation, reserve: $0)
                })
            {
                container.isPreview = true
                made[key] = ImageResponse.Origin(container, nil, .disk, isStale: true)
            }
            // Order: asked again, since the decode has taken its time.
            guard !cancellation.isCancelled, let origin = made[key] else { continue }
            task.pass(.preview(ImageResponse(origin, for: task.request)))
            state.withLock { $0.statistics.previews += 1 }
        }
    }
}
