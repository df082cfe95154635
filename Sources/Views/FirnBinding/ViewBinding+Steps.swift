import FirnProcessing

// Performs the steps of the state.
extension ViewBinding {
    typealias State = BindingState<ImageCacheKey>

    /// The size of the view if it determines the number of loaded pixels; otherwise `unlimited`.
    var viewSize: ImageDisplaySize {
        guard let request, options.isResizingEnabled, request.targetSize == nil,
            ImageProcessors.Composition.decodingTarget(of: request.processors) == nil
        else { return .unlimited }
        return view?.displaySize ?? .unknown
    }

    var rules: State.Rules {
        let placeholder: State.Rules.Placeholder =
            switch options.placeholder {
            case nil: .none
            case .keep: .keep
            default: .some
            }
        var hasFailure = options.failureImage != nil
        if case .keep = options.failureImage { hasFailure = false }
        return State.Rules(
            placeholder: placeholder, hasFailure: hasFailure, showsPreviews: options.isProgressiveRenderingEnabled,
            alwaysTransition: options.alwaysTransition, mode: options.contentMode,
            margin: max(0, options.resizingMargin))
    }

    /// The priority of the request: at most `low` while the view is not visible.
    var priority: ImageRequest.Priority {
        let priority = request?.priority ?? .normal
        return visibility > 0 ? priority : min(priority, .low)
    }

    var interest: BindingLoad.Interest {
        var interest = BindingLoad.Interest.end
        if options.isProgressiveRenderingEnabled { interest.insert(.previews) }
        if onProgress != nil { interest.insert(.progress) }
        return interest
    }

    /// Returns whether to load `request` although its image is shown or loading.
    ///
    /// - Parameter isSame: whether the view has a request with the same image key.
    func isOutdated(for request: ImageRequest, isSame: Bool) -> Bool {
        let isShown = state.showsImage(of: request.imageCacheKey)
        let former = isSame ? self.request : isShown ? response?.request : nil
        let isOther = former.map { !$0.loadKey.sharesBytes(with: request.loadKey) } ?? false
        if isSame, state.phase == .loading { return isOther }
        if isOther || request.options.contains(.reloadIgnoringCachedData) { return true }
        guard isShown, let response else { return false }
        return !context.pipeline.isCurrent(response, for: request)
    }

    func perform(_ step: State.Step) {
        let former = load
        if step.start != nil || step.release != nil { load = nil }
        if let start = step.start { begin(start) }
        switch (step.release, former) {
        case (.handOver, let former?): context.release(former)
        case (.cancel, let former?): context.cancel(former)
        default: break
        }
        if let display = step.display { show(display) }
        settle()
    }

    func take(_ update: LoadUpdate, of load: BindingLoad) {
        guard load === self.load else { return }
        if let progress = update.progress, update.result == nil { onProgress?(progress) }
        if let preview = update.preview { take(preview, number: load.number) }
        guard let result = update.result, load === self.load else { return }
        self.load = nil
        end(load.task, result, number: load.number, isAtOnce: false)
    }

    private func begin(_ start: State.Step.Start) {
        guard
            var request = request?.fitted(
                to: start.target.map { TargetSize($0, mode: options.contentMode) },
                format: options.pixelFormat,
                priority: priority)
        else { return }
        if start.ignoresCaches { request.options.insert(.reloadIgnoringCachedData) }
        switch context.load(request, for: self, number: start.number, interest: interest) {
        case .ended(let task, let result):
            onStart?(task)
            end(task, result, number: start.number, isAtOnce: true)
        case .running(let load):
            self.load = load
            onStart?(load.task)
            // Order: shows an existing preview first, which makes the placeholder unnecessary.
            if let preview = load.preview { take(preview, number: start.number) }
            if let display = state.wait(start.number).display { show(display) }
        }
    }

    /// Shows the stale image of a task that its source has refused, unless it is already shown.
    ///
    /// A task that ends before the view listens reports no preview.
    private func takeStale(of task: ImageTask, number: Int) {
        guard response?.isPreview != true,
            let stale = task.latestPreview ?? context.pipeline.staleImage(for: task.request)
        else { return }
        take(stale, number: number)
    }

    private func take(_ preview: ImageResponse, number: Int) {
        guard let display = state.preview(number).display else { return }
        response = preview
        context.statistics.previews += 1
        show(display)
        onPreview?(preview)
    }

    private func end(
        _ task: ImageTask, _ result: Result<ImageResponse, ImageLoadingError>, number: Int, isAtOnce: Bool
    ) {
        guard state.isCurrent(number) else { return }
        if result.isRefusal { takeStale(of: task, number: number) }
        switch result {
        case .success(let response):
            let step = state.finish(number, size: response.image.size, isFromMemory: isAtOnce)
            self.response = response
            error = nil
            if isAtOnce { context.statistics.memoryHits += 1 } else { context.statistics.deliveries += 1 }
            perform(step)
        case .failure(let error):
            let step = state.fail(number, isCancelled: error.fault == .cancelled, isRefused: error.isRefusal)
            self.error = error
            context.statistics.failures += 1
            perform(step)
        }
        onCompletion?(result)
    }
}
