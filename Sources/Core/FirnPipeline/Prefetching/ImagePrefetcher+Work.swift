import FirnSync

// Starting and ending items.
extension ImagePrefetcher {
    /// Most items that one call looks up in the memory cache: about as many microseconds.
    private static let burst = 64

    /// Starts the items that may start.
    ///
    /// Order: one thread at a time. If an item ends while others are started, as a cached one does, that thread's loop
    /// starts the next one, without a nested call.
    func advance() {
        guard state.withLock({ $0.beginAdvancing() }) else { return }
        continueAdvancing()
    }

    private func continueAdvancing() {
        for _ in 0..<ImagePrefetcher.burst {
            guard let start = state.withLock({ $0.next() }) else { return }
            begin(start)
        }
        // Many items may be cached. The caller may be the drawing thread and must not be blocked.
        Task.detached { [weak self] in self?.continueAdvancing() }
    }

    private func begin(_ start: PrefetchState.Start) {
        guard let request = prepared(start) else { return ended(start.ticket, nil) }
        let task = pipeline.launch(request)
        let (isWanted, isPaused, priority) = state.withLock { state in
            let isWanted = state.queue.isRunning(start.ticket)
            if isWanted { state.running[start.ticket] = task }
            return (isWanted, state.queue.isPaused, state.priority)
        }
        guard isWanted else { return task.cancel() }
        // Both may have changed before the task was stored.
        if isPaused || priority != start.priority { updateTasks() }
        task.onEnd { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): finish(start.ticket, error)
            case .success(let response):
                guard let bytes = response.origin.proof else { return finish(start.ticket, nil) }
                // Order: the item ends once the data cache finds the bytes.
                bytes.whenStored { [weak self] ending in
                    self?.finish(start.ticket, ending.flatMap { ImagePrefetcher.error($0, start.request) })
                }
            }
        }
    }

    /// Gives the running tasks the pause and the priority of the prefetcher, after a change of them.
    ///
    /// Order: repeated after a concurrent change, so that the thread that changes the tasks last gives them the latest
    /// values.
    func updateTasks(after change: ((inout PrefetchState) -> Void)? = nil) {
        if let change {
            state.withLock { state in
                change(&state)
                state.changes &+= 1
            }
        }
        var known: Int?
        while true {
            let (tasks, isPaused, priority, changes) = state.withLock { state in
                (
                    known == state.changes ? [] : Array(state.running.values), state.queue.isPaused, state.priority,
                    state.changes
                )
            }
            if known == changes { return }
            known = changes
            for task in tasks {
                task.priority = priority
                task.isPaused = isPaused
            }
        }
    }

    private func finish(_ ticket: PrefetchState.Ticket, _ error: ImageLoadingError?) {
        ended(ticket, error)
        advance()
    }

    /// The reason why an item's bytes are not in the data cache; `nil` if they are.
    private static func error(_ result: StoreResult, _ request: ImageRequest) -> ImageLoadingError? {
        let (message, cause): (String, DataCachingError?)
        switch result {
        case .stored: return nil
        case .skipped: (message, cause) = ("not kept: its source, or the pipeline's delegate, does not allow it", nil)
        case .failed(let error): (message, cause) = ("not kept: \(error)", error)
        }
        return .init(.source, at: .loading, of: request, message, underlying: cause)
    }

    /// The request to load; `nil` if there is nothing to load.
    private func prepared(_ start: PrefetchState.Start) -> ImageRequest? {
        var request = pipeline.keyed(start.request)
        switch destination {
        case .memoryCache: if pipeline.cached(request) != nil { return nil }
        case .diskCache:
            guard pipeline.storesBytes(of: request) else { return nil }
            request = request.forBytes
            request.alter { $0.provesBytes = true }
        }
        if request.priority != start.priority { request.priority = start.priority }
        return request
    }

    private func ended(_ ticket: PrefetchState.Ticket, _ error: ImageLoadingError?) {
        guard let (request, listeners) = state.withLock({ $0.finish(ticket) }) else { return }
        for stream in listeners.streams { stream.yield((request, error)) }
        guard listeners.item != nil || listeners.all != nil else { return }
        executor.run {
            listeners.item?(request, error)
            listeners.all?()
        }
    }
}
