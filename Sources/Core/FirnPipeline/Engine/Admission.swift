import FirnData
import FirnImage
import FirnSync
import Synchronization

/// Starts tasks: finds the shortest route to the image and adds the task to the table.
final class Admission: Sendable {
    private let shell: TableShell
    private let environment: StageEnvironment

    init(_ shell: TableShell, _ environment: StageEnvironment) {
        self.shell = shell
        self.environment = environment
    }

    /// Starts a task. Does not block and does no work of a stage.
    ///
    /// - Returns: the job that the task ends with, if another task's job has just completed all its steps.
    func start(_ task: ImageTask) -> EngineJob? {
        let request = task.request
        // Without a memory cache every route starts with the bytes, so no route is computed and nothing is copied.
        guard environment.keepsImages else {
            return load(task, key: request.identities.resource, steps: request.steps)
        }
        let route = ImageRoute(of: request, in: environment)
        if route.steps.count == 0, let base = route.base {
            environment.memoryHits.count()
            task.end(.success(ImageResponse(container: base, request: request, cacheType: .memory)))
            return nil
        }
        // A preview that the program has put into the cache for this request takes precedence.
        if let preview = route.preview, task.latestPreview == nil {
            let origin = ImageResponse.Origin(preview, nil, .memory, isStale: route.isPreviewStale)
            task.pass(.preview(ImageResponse(origin, for: request)))
        }
        guard let base = route.base else { return load(task, key: route.key, steps: route.steps) }
        return add(task, key: route.key, steps: route.steps, .useMemoryImage(base))
    }

    /// Starts a task without an image in memory.
    private func load(_ task: ImageTask, key: ResourceKey, steps: RequestSteps) -> EngineJob? {
        if let image = storedImage(for: task) { return read(image, for: task) }
        let selection = task.selection.load(ordering: .relaxed)
        let key = selection == 0 ? key : ResourceKey("\(key.text)|fields=\(selection)")
        return endsWithKnownFailure(task) ? nil : add(task, key: key, steps: steps, nil)
    }

    /// Starts a task with a processed image that may be on disk.
    ///
    /// - Returns: like ``start(_:)``.
    func read(_ image: ProcessedImage, for task: ImageTask) -> EngineJob? {
        task.processedLookup.store(image.isFinal ? .onFinal : .onPart, ordering: .relaxed)
        let steps = task.request.steps(after: image)
        return add(task, key: ResourceKey("|made:\(image.key)"), steps: steps, .readProcessed(key: image.key))
    }

    /// Adds a task to the table whose region of the image is there already.
    ///
    /// - Returns: as ``start(_:)``.
    func process(_ container: ImageContainer, for task: ImageTask) -> EngineJob? {
        var part = task.request
        part.processors = []
        let key = ResourceKey("|tiles:\(part.imageCacheKey)#\(container.image.size)")
        let steps = ImageRequest.steps(of: task.request.processors)
        return add(task, key: key, steps: .list(steps), .useMemoryImage(container))
    }

    /// The processed image of the task itself, which is looked up before the original; `nil` if the policy stores
    /// none.
    private func storedImage(for task: ImageTask) -> ProcessedImage? {
        let request = task.request
        guard environment.dataCachePolicy.keepsProcessed, request.isProcessed, !request.wantsBytes,
            request.options.readsDisk, request.isKeptOnDisk,
            task.processedLookup.load(ordering: .relaxed) == .untried, environment.dataCache(for: request) != nil
        else { return nil }
        return ProcessedImage(
            key: request.processedDataCacheKey, processed: request.processors.count, isFinal: true)
    }

    /// Ends a task whose source failed a short time ago, if no cache can have its image: a view then shows the failure
    /// in the call that requests the image. Otherwise a stage finds the failure after it has looked into the caches.
    ///
    /// - Returns: whether the task has ended.
    private func endsWithKnownFailure(_ task: ImageTask) -> Bool {
        let request = task.request
        guard !environment.keepsBitmaps, let failure = environment.failures?.certainFailure(for: request),
            !(environment.dataCachePolicy.keepsProcessed && request.isProcessed
                && environment.hasDataCache(for: request))
        else { return false }
        task.end(.failure(ImageLoadingError(failure, for: request)))
        return true
    }

    /// - Parameter work: reads the image that the route starts with; `nil` to fetch the bytes.
    private func add(_ task: ImageTask, key: ResourceKey, steps: RequestSteps, _ work: JobWork?) -> EngineJob? {
        let request = task.request
        let now = MonotonicClock.now()
        let key = environment.workKey(key)
        let added = shell.change { state -> (TableShell.Table.Admission, StartedJob?)? in
            if state.isClosed { return nil }
            return state.add(task, key: key, steps: steps, now: now) {
                guard let work else { return fetch(request, at: now) }
                return TableShell.Table.Root(work: EngineJob(work, for: request, at: now), stage: .read)
            }
        }
        if let job = added?.1 { shell.begin(job) }
        switch added?.0 {
        case .waits?: return nil
        case .finished(let job)?: return job
        case nil:
            // The pipeline is closed.
            task.end(.failure(task.hasStarted ? .cancelled(source: request.description) : .invalidated(request)))
            return nil
        }
    }

    /// The job that fetches the bytes of a request.
    private func fetch(_ request: ImageRequest, at now: Moment) -> TableShell.Table.Root {
        let hasDataCache = environment.hasDataCache(for: request)
        var root = TableShell.Table.Root(
            work: EngineJob(fetching: request, at: now),
            stage: ReadStage.first(for: request, hasDataCache: hasDataCache || environment.keepsBitmaps))
        if let host = request.identities.host {
            root.host = host
            root.mayKeep = hasDataCache && request.options.writesDisk
        }
        return root
    }
}
