public import FirnData
public import FirnPipeline
public import FoundationEssentials

/// A pipeline delegate for tests: it records every call and can change what is sent and what is stored.
///
/// Loader, decoder, encoder, caches and keys stay those of the configuration.
///
/// ```swift
/// let delegate = DelegateRecorder(willLoadData: { request in
///     var request = request
///     request.headers["Authorization"] = "Bearer token"
///     return request
/// })
/// let pipeline = ImagePipeline(configuration: configuration, delegate: delegate)
/// ```
public final class DelegateRecorder: ImagePipeline.Delegate {
    /// One call of the pipeline.
    public enum Call: Sendable {
        /// A task was created.
        case created(ImageTask)
        /// A task was handed to the engine.
        case started(ImageTask)
        /// Something happened to a task.
        case event(ImageTask, ImageTask.Event)
        /// A request was about to be sent; the request before the closure changed it.
        case willLoadData(DataRequest)
        /// Bytes were about to be stored in the data cache; the bytes before the closure changed them.
        case willCache(Data)
        /// The data cache failed.
        case dataCacheFailed(DataCachingError)
    }

    private let state = Watched<[Call]>([])
    private let prepare: @Sendable (DataRequest) async throws -> DataRequest
    private let replace: @Sendable (Data) async -> Data?

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - willLoadData: returns the request to send, or throws to fail the load. Default: the request as it is.
    ///   - willCache: returns the bytes to store, or `nil` to store none. Default: the bytes as they are.
    public init(
        willLoadData: @escaping @Sendable (DataRequest) async throws -> DataRequest = { $0 },
        willCache: @escaping @Sendable (Data) async -> Data? = { $0 }
    ) {
        prepare = willLoadData
        replace = willCache
    }

    /// The calls so far, in order.
    public var calls: [Call] { state.value }

    /// The results of tasks that have ended, in the order of their ends.
    public var results: [Result<ImageResponse, ImageLoadingError>] {
        calls.compactMap { if case .event(_, .finished(let result)) = $0 { result } else { nil } }
    }

    /// Waits until the calls satisfy a condition, and returns them as they then were.
    ///
    /// The condition must not use the recorder.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable ([Call]) -> Bool) async -> [Call] {
        await state.wait(until: isReached)
    }

    private func record(_ call: Call) { state.update { $0.append(call) } }

    // MARK: ImagePipeline.Delegate

    /// Records the request and returns what the closure returns.
    public func willLoadData(
        for request: ImageRequest, dataRequest: DataRequest, pipeline: ImagePipeline
    ) async throws -> DataRequest {
        record(.willLoadData(dataRequest))
        return try await prepare(dataRequest)
    }

    /// Records the bytes and returns what the closure returns.
    public func willCache(data: Data, for request: ImageRequest, pipeline: ImagePipeline) async -> Data? {
        record(.willCache(data))
        return await replace(data)
    }

    /// Records the error.
    public func dataCacheFailed(with error: DataCachingError, for request: ImageRequest, pipeline: ImagePipeline) {
        record(.dataCacheFailed(error))
    }

    /// Records the task.
    public func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) { record(.created(task)) }

    /// Records the task.
    public func imageTaskDidStart(_ task: ImageTask, pipeline: ImagePipeline) { record(.started(task)) }

    /// Records the event.
    public func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {
        record(.event(task, event))
    }
}

/// Records all events that a pipeline sends to its observers.
///
/// ```swift
/// let recorder = EventRecorder()
/// configuration.observers = [recorder]
/// let events = await recorder.wait { $0.count > 3 }
/// ```
public final class EventRecorder: PipelineObserver {
    private let recorded = Watched<[PipelineEvent]>([])

    /// Creates an empty recorder.
    public init() {}

    /// The events so far, by time.
    public var events: [PipelineEvent] { recorded.value.sorted { $0.time < $1.time } }

    /// Waits until the events satisfy a condition, and returns them by time. The condition must not use the recorder.
    @discardableResult
    public func wait(until isReached: @escaping @Sendable ([PipelineEvent]) -> Bool) async -> [PipelineEvent] {
        await recorded.wait(until: isReached).sorted { $0.time < $1.time }
    }

    /// Records an event.
    public func pipeline(didObserve event: PipelineEvent) { recorded.update { $0.append(event) } }
}
