import FirnImage
import FirnPipeline

// Requests, from the view that wants them to the end of the frame in which it goes away.
extension BindingContext {
    /// A load of this request: one whose view has gone away, or a new one; or its end, if it is there at once.
    func load(
        _ request: ImageRequest, for binding: ViewBinding, number: Int, interest: BindingLoad.Interest
    ) -> LoadStart {
        if let load = claim(request) {
            statistics.takenOver += 1
            if let outcome = load.task.outcome { return .ended(load.task, outcome) }
            load.bind(binding, number: number, interest: interest)
            return .running(load)
        }
        let task = pipeline.imageTask(with: request)
        if let outcome = task.outcome { return .ended(task, outcome) }
        statistics.starts += 1
        let load = BindingLoad(key: request.imageCacheKey, task: task, mailbox: mailbox)
        load.bind(binding, number: number, interest: interest)
        return .running(load)
    }

    /// A view has let go of a load.
    func release(_ load: BindingLoad) {
        load.binding = nil
        // What has not been delivered is found in the task by whoever takes it over.
        queue.remove(load.id)
        unclaimed[load.id] = load
        perform(handOver.add(load.id, key: load.key, hasEnded: load.task.outcome != nil))
        awaitFrame()
    }

    /// Nobody wants a load.
    func cancel(_ load: BindingLoad) {
        queue.remove(load.id)
        load.cancel()
    }

    func perform(_ actions: [HandOver<ImageCacheKey, ObjectIdentifier>.Action]) {
        for action in actions {
            switch action {
            case .cancel(let id): unclaimed.removeValue(forKey: id)?.cancel()
            case .lower(let id): unclaimed[id]?.lower()
            case .pause(let id): unclaimed[id]?.pause()
            case .resume(let id): unclaimed[id]?.resume(.veryLow)
            case .forget(let id): unclaimed[id] = nil
            }
        }
    }

    /// A load that no view holds has ended.
    func end(_ load: BindingLoad, _ result: Result<ImageResponse, ImageLoadingError>) {
        if case .success = result { statistics.unwanted += 1 }
        perform(handOver.finish(load.id))
    }

    private func claim(_ request: ImageRequest) -> BindingLoad? {
        guard !handOver.isEmpty, let claimed = handOver.claim(request.imageCacheKey) else { return nil }
        guard let load = unclaimed.removeValue(forKey: claimed.id) else { return nil }
        load.resume(request.priority)
        return load
    }
}
