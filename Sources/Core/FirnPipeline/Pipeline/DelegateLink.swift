import FirnData
import FirnImage
import FirnSync
import FoundationEssentials

/// Joins a pipeline's delegate to the stages.
///
/// Work may outlive the pipeline that it was asked of. The delegate is then handed another of the same parts and the
/// same state, so that what it decides (a signature, say) still holds.
final class DelegateLink: StageChoices {
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

    /// Called once, before anything is asked.
    func connect(_ pipeline: ImagePipeline, _ engine: Engine) {
        ends.withLock {
            $0.pipeline = pipeline
            $0.engine = engine
        }
    }

    private var pipeline: ImagePipeline {
        let (pipeline, engine) = ends.withLock { ($0.pipeline, $0.engine) }
        return pipeline ?? ImagePipeline(configuration, sharing: engine, self)
    }

    // MARK: Choices

    func loader(for request: ImageRequest) -> any DataLoading {
        delegate.dataLoader(for: request, pipeline: pipeline)
    }

    func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
        delegate.imageDecoder(for: context, pipeline: pipeline)
    }

    func imageCache(for request: ImageRequest) -> (any ImageCaching)? {
        delegate.imageCache(for: request, pipeline: pipeline)
    }

    func dataCache(for request: ImageRequest) -> (any DataCaching)? {
        delegate.dataCache(for: request, pipeline: pipeline)
    }

    func prepared(_ sent: DataRequest, for request: ImageRequest) async throws -> DataRequest {
        try await delegate.willLoadData(for: request, dataRequest: sent, pipeline: pipeline)
    }

    func kept(_ data: Data, for request: ImageRequest) async -> Data? {
        await delegate.willCache(data: data, for: request, pipeline: pipeline)
    }

    func encoder(for context: ImageEncodingContext) -> (any ImageEncoding)? {
        delegate.imageEncoder(for: context, pipeline: pipeline)
    }

    func failed(_ error: DataCachingError, for request: ImageRequest) {
        delegate.dataCacheFailed(with: error, for: request, pipeline: pipeline)
    }

    func keyed(_ request: ImageRequest) -> ImageRequest {
        delegate.cacheKey(for: request, pipeline: pipeline).map { request.cached(as: $0) } ?? request
    }

    // MARK: Events

    /// Tells of a new task, and from now on of its events.
    func created(_ task: ImageTask) {
        delegate.imageTaskCreated(task, pipeline: pipeline)
        task.listen(
            .observer { [weak task, self] event in
                guard let task else { return }
                delegate.imageTask(task, didReceiveEvent: event, pipeline: pipeline)
            })
    }

    func started(_ task: ImageTask) { delegate.imageTaskDidStart(task, pipeline: pipeline) }
}
