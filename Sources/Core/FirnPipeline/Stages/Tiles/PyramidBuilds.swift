import FirnSync

/// The queue of a pipeline's pyramid builds. They run one after the other on a thread of their own, so that neither
/// loads nor stores wait for them.
///
/// ``PyramidPolicy`` decides which pyramids are built automatically.
final class PyramidBuilds: Sendable {
    /// Returns the bytes of a build. Called on the thread of the builds.
    typealias Source = @Sendable (PyramidBuild) throws -> FetchedBytes

    private struct State {
        var policy: PyramidPolicy
        var waiting: [(PyramidBuild, Source)] = []
        var running: PyramidBuild?
        var isClosed = false

        func build(of key: ImageCacheKey) -> PyramidBuild? {
            if let running, running.key == key, !running.cancellation.isCancelled { return running }
            return waiting.first { $0.0.key == key && !$0.0.cancellation.isCancelled }?.0
        }
    }

    private let state: Locked<State>
    private let stage: PyramidStage
    /// The pyramids that are built.
    var tiles: PyramidTiles { stage.tiles }

    init(_ policy: PyramidPolicy, _ stage: PyramidStage) {
        state = Locked(State(policy: policy))
        self.stage = stage
    }

    /// Starts a build, or returns the running one of the same key.
    ///
    /// - Returns: `nil` if the pipeline is closed.
    func begin(_ request: ImageRequest, isAutomatic: Bool, _ source: @escaping Source) -> PyramidTask? {
        let key = request.pyramidKey
        let (task, isFirst) = state.withLock { state -> (PyramidTask?, Bool) in
            if state.isClosed { return (nil, false) }
            if let present = state.build(of: key), let task = PyramidTask(present) { return (task, false) }
            let build = PyramidBuild(request, key: key, isAutomatic: isAutomatic)
            let isFirst = state.running == nil && state.waiting.isEmpty
            state.waiting.append((build, source))
            return (PyramidTask(build), isFirst)
        }
        if isFirst, !WorkerThread.start({ self.run() }) {
            endWaiting { .init(.pipeline, at: .processing, of: $0, "\(ThreadShortage())") }
        }
        return task
    }

    /// Counts a decoded region, and starts the build of its image's pyramid if the policy says so; without a store,
    /// that of its index. A region that was decoded by an index does not count.
    func noteRegion(
        of bytes: FetchedBytes, _ properties: ImageProperties, _ session: any ImageDecodingSession,
        _ request: ImageRequest
    ) {
        guard state.withLock({ $0.policy.suits(properties) }), let session = session as? any RowStreaming,
            session.partIndex == nil
        else { return }
        let parts = try? PyramidStage.indexed(session, properties.size)
        let store = request.options.writesDisk ? tiles.caches.bitmapStore(for: request) : nil
        guard let shape = parts?.shape ?? PyramidShape(properties.size),
            // Without a store, an index alone can be kept.
            store.map({ shape.byteCount < $0.largestPyramid }) ?? (parts.map { $0.indexBytes > 0 } ?? false),
            let needed = try? session.streamingBytes(for: parts == nil ? DecodingOptions() : .indexing),
            needed <= PyramidPolicy.maximumBytes,
            let source = tiles.pyramidSource(of: bytes, properties, request)
        else { return }
        let key = request.pyramidKey.string
        guard state.withLock({ $0.policy.noteRegion(of: key, source) }) else { return }
        _ = begin(request, isAutomatic: true) { _ in bytes }
    }

    /// Cancels the automatic builds of requests, since what they read was removed.
    func cancel(where isMeant: (ImageRequest) -> Bool) {
        let builds = state.withLock { state in
            let builds = [state.running].compactMap { $0 } + state.waiting.map(\.0)
            return builds.filter { $0.isAutomatic && isMeant($0.request) }
        }
        for build in builds { build.cancel() }
    }

    /// Cancels all builds. Later ones are refused.
    func close() {
        state.withLock { $0.isClosed = true }
        // Order: the queued ones first, so that none of them begins after the running one.
        endWaiting { .cancelled(source: $0.description) }
        state.withLock { $0.running }?.cancel()
    }

    private func run() {
        var priority = WorkerPriority.OfThread()
        priority.apply()
        while true {
            let next = state.withLock { state -> (PyramidBuild, Source)? in
                guard !state.waiting.isEmpty else {
                    state.running = nil
                    return nil
                }
                let next = state.waiting.removeFirst()
                state.running = next.0
                return next
            }
            guard let (build, source) = next else { return }
            do {
                if build.cancellation.isCancelled { throw CancellationError() }
                build.end(.success(try stage.run(build, try source(build))))
            } catch {
                let isCancelled = build.cancellation.isCancelled
                build.end(.failure(PyramidStage.error(error, build.request, isCancelled: isCancelled)))
            }
        }
    }

    /// Ends all queued builds with an error.
    private func endWaiting(_ error: (ImageRequest) -> ImageLoadingError) {
        let waiting = state.withLock { exchange(&$0.waiting, with: []) }
        for (build, _) in waiting { build.end(.failure(error(build.request))) }
    }
}

/// Decides when the pyramid of an image is built automatically. A pure value.
///
/// The first region of a large image is decoded like any other. The second one of the same image starts a build,
/// because a third is likely. An image is identified by the key of its pyramid and by the version of its bytes.
struct PyramidPolicy {
    private static let maximumCounted = 64
    /// The most memory of an automatic build, in bytes.
    static let maximumBytes = 128 << 20
    /// Formats in which the pixels before a region must be decoded to reach it.
    static let formats: Set<ImageFormat> = [.jpeg, .png, .qoi, .webp]

    /// The least pixels of an image whose pyramid is built automatically.
    let minimumPixels: Int
    /// The counted images, the most recent last.
    private var counted: [(key: String, source: PyramidSource)] = []

    /// - Parameter minimumPixels: see ``ImagePipeline/Configuration/automaticPyramidPixels``.
    init(minimumPixels: Int) { self.minimumPixels = minimumPixels }

    /// Returns whether an image gets a pyramid automatically.
    func suits(_ properties: ImageProperties) -> Bool {
        PyramidPolicy.formats.contains(properties.format) && properties.size.area >= minimumPixels
            && !properties.isAnimation
    }

    /// Counts a decoded region of an image.
    ///
    /// - Returns: whether to build its pyramid now.
    mutating func noteRegion(of key: String, _ source: PyramidSource) -> Bool {
        let former = counted.firstIndex { $0.key == key }.map { counted.remove(at: $0).source }
        if former?.isSameSource(version: source.version, validator: source.validator) == true { return true }
        counted.append((key, source))
        if counted.count > PyramidPolicy.maximumCounted { counted.removeFirst() }
        return false
    }
}
