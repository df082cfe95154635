import FirnSync

/// Joins a pipeline's delegate to the stages. Called without a lock, on any thread.
///
/// Work may outlive its pipeline. The delegate then receives a stand-in with the same parts and state, so that its
/// decisions, such as a signature, still apply.
final class DelegateLink: Sendable {
    let delegate: any ImagePipeline.Delegate
    private let configuration: ImagePipeline.Configuration

    private struct Ends {
        weak var pipeline: ImagePipeline?
        weak var engine: Engine?
    }

    private let ends = Locked(Ends())

    init(_ delegate: any ImagePipeline.Delegate, _ configuration: ImagePipeline.Configuration) {
        self.delegate = delegate
        self.configuration = configuration
    }

    /// Called once, before any other call.
    func connect(_ pipeline: ImagePipeline, _ engine: Engine) {
        ends.withLock {
            $0.pipeline = pipeline
            $0.engine = engine
        }
    }

    /// The pipeline to pass to the delegate.
    var pipeline: ImagePipeline {
        let (pipeline, engine) = ends.withLock { ($0.pipeline, $0.engine) }
        return pipeline ?? ImagePipeline(configuration, sharing: engine, self)
    }

    // MARK: Choices

    func imageCache(for request: ImageRequest) -> (any ImageCaching)? {
        delegate.imageCache(for: request, pipeline: pipeline)
    }

    func dataCache(for request: ImageRequest) -> (any DataCaching)? {
        delegate.dataCache(for: request, pipeline: pipeline)
    }

    /// Returns the request to send, as the delegate changes it just before it is sent.
    func prepared(_ sent: DataRequest, for request: ImageRequest) async throws -> DataRequest {
        try await delegate.willLoadData(for: request, dataRequest: sent, pipeline: pipeline)
    }

    /// Returns the request to send if the delegate returns without a suspension; otherwise `sent`.
    func preparedAtOnce(_ sent: DataRequest, for request: ImageRequest) -> DataRequest {
        preparedNow(sent, for: request) ?? sent
    }

    /// Returns the request to send; `nil` if the delegate suspends.
    func preparedNow(_ sent: DataRequest, for request: ImageRequest) -> DataRequest? {
        let result = Locked<DataRequest?>(nil)
        let task = Task.immediateDetached {
            let prepared = try? await self.prepared(sent, for: request)
            result.withLock { $0 = prepared }
        }
        if let prepared = result.withLock({ $0 }) { return prepared }
        task.cancel()
        return nil
    }

    func keyed(_ request: ImageRequest) -> ImageRequest {
        delegate.cacheKey(for: request, pipeline: pipeline).map { request.cached(as: $0) } ?? request
    }

    // MARK: Events

    /// Reports a new task, and from now on its events.
    func created(_ task: ImageTask) {
        delegate.imageTaskCreated(task, pipeline: pipeline)
        task.listen(
            .feed(
                EventFeed(.everything, on: .immediate, asksForPreviews: false) { [weak task, self] event in
                    guard let task else { return }
                    delegate.imageTask(task, didReceiveEvent: event, pipeline: pipeline)
                }))
    }
}
