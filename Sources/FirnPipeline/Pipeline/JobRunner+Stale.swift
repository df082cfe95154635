import FirnImage
import FirnSync

// Pictures that are kept and no longer fresh.
extension JobRunner {
    /// Shows what is kept to those who watch, while its source is asked.
    ///
    /// The picture is a preview: a task ends once, with the one that its source confirms or sends. Made on this thread, a worker's;
    /// nothing is made where nobody would see it, or where decodes that are waited for need the memory.
    func show(_ stale: StaleBytes, to audience: [ImageTask]) {
        var made: [ImageCacheKey: ImageResponse.Origin] = [:]
        // Order: whether somebody watches is asked, not whether he wants a preview: one who is just joining gets it by that.
        for task in audience where task.isWatched && !task.request.wantsBytes {
            guard task.state == .running, task.latestPreview == nil else { continue }
            let key = task.request.imageCacheKey
            if made[key] == nil,
                var container = lending({ picture(of: stale.bytes(), for: task.request, reserve: $0) })
            {
                container.isPreview = true
                made[key] = ImageResponse.Origin(container, nil, .disk, isStale: true)
            }
            guard let origin = made[key] else { continue }
            task.pass(.preview(ImageResponse(origin, for: task.request)))
            state.withLock { $0.statistics.previews += 1 }
        }
    }

    /// Shows it to one who begins to watch after the source was asked. Not on his thread.
    func showLater(_ stale: StaleBytes, to task: ImageTask) {
        guard task.latestPreview == nil, !task.request.wantsBytes else { return }
        let call = state.withLock { state in
            guard !state.isClosed else { return WorkerRoster.Call.none }
            state.table.addDetached(JobWork(showing: stale, to: task), stage: .store)
            return state.call()
        }
        perform(call)
    }
}
