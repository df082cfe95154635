import FirnData
import FirnImage
import FirnPipeline

// Starts, hands over and ends the loads of the views.
extension BindingContext {
    /// Returns a running load of this request, taken over from a view that released it or started now; or the result,
    /// if it is available at once.
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
        let load = BindingLoad(key: request.loadKey, task: task, mailbox: mailbox)
        load.bind(binding, number: number, interest: interest)
        return .running(load)
    }

    /// Releases the load of a view that no longer needs it.
    func release(_ load: BindingLoad) {
        load.binding = nil
        // A view that takes the load over finds undelivered events in the task.
        queue.remove(load.id)
        unclaimed[load.id] = load
        perform(released.add(load.id, key: load.key, hasEnded: load.task.outcome != nil))
        awaitFrame()
    }

    /// Cancels a load that no view needs.
    func cancel(_ load: BindingLoad) {
        queue.remove(load.id)
        load.cancel()
    }

    func perform(_ actions: [ReleasedLoads<ImageRequest.LoadKey, ObjectIdentifier>.Action]) {
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

    /// Ends a load that no view holds.
    func end(_ load: BindingLoad, _ result: Result<ImageResponse, ImageLoadingError>) {
        if case .success = result { statistics.unwanted += 1 }
        perform(released.finish(load.id))
    }

    private func claim(_ request: ImageRequest) -> BindingLoad? {
        guard !released.isEmpty, let claimed = released.claim(request.loadKey) else { return nil }
        guard let load = unclaimed.removeValue(forKey: claimed.id) else { return nil }
        load.resume(request.priority)
        return load
    }
}
