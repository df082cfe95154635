@_exported public import FirnPipeline
import FirnProcessing
import FirnSync

/// Plays an animation from a file with few frames in memory. Frames are decoded ahead of the viewers on Firn's own
/// threads and released after display.
///
///     let animated = AnimatedImage(decoder: decoder)
///     let viewer = animated.makeViewer { view.redrawSoon() }
///     // whenever the view draws:
///     draw(viewer.frame())
///     redraw(at: viewer.nextChange)
///
/// Playback can start before the last byte of the file has arrived. Frames appear when they are complete; an incomplete
/// frame is never shown. A still image is an animation of one frame.
///
/// All frames have the size and pixel format given by `options` and the processors. Each frame is processed after its
/// decode, and only the result is kept. Views of different sizes use one animation each; these may share a decoder.
/// ``makeViewer(onChange:)`` describes shared and late frames.
public final class AnimatedImage: Sendable {
    /// The decoder of the frames.
    public let decoder: ImageDecoder

    private let options: DecodingOptions
    /// The processors applied to every frame.
    private let processing: ImageProcessors.Composition
    private let now: @Sendable () -> Duration
    private let run: @Sendable (@escaping WorkerQueue.Job) -> Void
    private let shared: Locked<Shared>
    private let account: MemoryAccount?

    private struct Shared {
        var state = AnimationState()
        var notices: [Int: @Sendable () -> Void] = [:]
        /// True if a job of this animation is queued or running. There is at most one.
        var isScheduled = false
        /// True if the decoder may have new information.
        var hasUpdate = true
        var decodedFrames = 0
    }

    /// Creates an animation without viewers.
    ///
    /// - Parameters:
    ///   - decoder: a decoder that has received some or all of the file's bytes.
    ///   - options: the size and pixel format of all frames. Frames have exactly the target size. `frame` and
    ///     `allowsPartial` are ignored. Default: every pixel, in the layout of displays.
    ///   - processors: the processors applied to every frame, in order. If `options` has no target size, frames are
    ///     decoded no larger than the first processor needs. A frame counts as undecodable if a processor fails.
    ///   - memory: the budget for the frames. While it is exhausted, two frames are kept. Default: the budget of this
    ///     process.
    ///   - clock: the clock that decides when frames are due. Default: the system's continuous clock.
    public convenience init(
        decoder: ImageDecoder, options: DecodingOptions = DecodingOptions(), processors: [any ImageProcessing] = [],
        memory: MemoryBudget? = .shared, clock: some Clock<Duration> = ContinuousClock()
    ) {
        let start = clock.now
        self.init(
            decoder: decoder, options: options, processors: processors, memory: memory,
            now: { start.duration(to: clock.now) }, run: { WorkerQueue.animations.run($0) })
    }

    /// - Parameter run: schedules a job on any thread.
    init(
        decoder: ImageDecoder, options: DecodingOptions, processors: [any ImageProcessing] = [],
        memory: MemoryBudget? = nil, now: @escaping @Sendable () -> Duration,
        run: @escaping @Sendable (@escaping WorkerQueue.Job) -> Void
    ) {
        self.decoder = decoder
        var options = options
        options.allowsPartial = false
        self.options = options
        processing = ImageProcessors.Composition(processors)
        self.now = now
        self.run = run
        shared = Locked(Shared())
        account = memory?.openAnimation()
        account?.listen { [weak self] in
            self?.change { if self?.account?.isShort ?? false { $0.state.keepOnlyShown() } }
            self?.kick()
        }
    }

    /// The time since the animation was created, by its clock.
    public var time: Duration { now() }

    /// The number of frames in memory, including the frame being decoded.
    public var residentFrames: Int { shared.withLock { $0.state.ring.count } }

    /// The bytes of the frames in memory.
    public var residentBytes: Int { shared.withLock { $0.state.ring.bytes } }

    /// The total number of decoded frames.
    public var decodedFrames: Int { shared.withLock { $0.decodedFrames } }

    /// Releases all frames that are not shown, and halves the number of frames kept from now on. Call it when memory is
    /// short.
    public func trim() { change { $0.state.trim() } }

    /// Adds a viewer. Frames are decoded for it until it is detached or released.
    ///
    /// - Viewers share frames. Each has its own position in time, which starts with the first frame that it receives.
    ///   Decoding serves viewers in turn, most urgent frames first. Viewers at different positions have fewer frames
    ///   decoded ahead.
    /// - A viewer receives the newest frame that is ready and due. Late frames are skipped, so that the animation keeps
    ///   its speed. A viewer that is more than a second late, because it was not asked or decoding is slow, continues
    ///   with the next frame instead.
    /// - When the last viewer is detached, the running decode is cancelled and all frames are released.
    ///
    /// - Parameter onChange: called on one of Firn's threads when a frame becomes ready that was missing when the
    ///   viewer was asked. Must return quickly.
    public func makeViewer(onChange: @escaping @Sendable () -> Void = {}) -> AnimationViewer {
        makeViewer(startingWith: 0, onChange: onChange)
    }

    /// Adds a viewer that starts with the frame due for `other`, a viewer of the same file at another size.
    package func makeViewer(continuing other: AnimationViewer) -> AnimationViewer {
        makeViewer(startingWith: other.ordinal) {}
    }

    private func makeViewer(startingWith ordinal: Int, onChange: @escaping @Sendable () -> Void) -> AnimationViewer {
        let now = now()
        let id = shared.withLock { shared in
            let id = shared.state.attach(at: now, startingWith: ordinal)
            shared.notices[id] = onChange
            return id
        }
        kick()
        return AnimationViewer(image: self, id: id)
    }

    /// Call when the decoder has received more bytes or all of them.
    public func dataDidArrive() {
        shared.withLock { $0.hasUpdate = true }
        kick()
    }

    // MARK: Viewers

    func detach(_ viewer: Int) {
        leave { shared in
            shared.notices[viewer] = nil
            return shared.state.detach(viewer)
        }
    }

    /// Stops a viewer's time and its decoding.
    func suspend(_ viewer: Int) {
        let now = now()
        leave { $0.state.suspend(viewer, at: now) }
    }

    /// Cancels the running decode if `body` returns that the last viewer has left.
    private func leave(_ body: (inout Shared) -> Bool) {
        let isLast = change { body(&$0) && $0.state.ring.decoding != nil }
        if isLast { decoder.cancelDecoding() } else { kick() }
    }

    /// Changes or reads the state for a viewer and starts the decodes that it then needs.
    func update<Result>(_ body: (inout AnimationState) -> Result) -> Result {
        let result = shared.withLock { body(&$0.state) }
        kick()
        return result
    }

    func read<Result>(_ body: (AnimationState) -> Result) -> Result { shared.withLock { body($0.state) } }

    // MARK: Memory

    /// Makes a change that may release images, and reports the new size to the budget.
    private func change<Result>(_ body: (inout Shared) -> Result) -> Result {
        let (result, released) = shared.withLock { shared in
            let result = body(&shared)
            account?.set(to: shared.state.bytesInUse)
            return (result, shared.state.takeReleased())
        }
        // Order: images are freed after the lock is released.
        _ = consume released
        return result
    }

    // MARK: Work

    /// Queues a job if there is work and no job is queued.
    private func kick() {
        let now = now()
        let isNeeded = shared.withLock { shared in
            guard !shared.isScheduled, shared.state.isWatched else { return false }
            guard shared.hasUpdate || shared.state.hasWork(at: now) else { return false }
            shared.isScheduled = true
            return true
        }
        if isNeeded { run { self.work() } }
    }

    /// Decodes one frame and queues the next job, so that animations take turns.
    private func work() {
        learn()
        if let account, let (wanted, least) = shared.withLock({ $0.state.memoryWanted }) {
            let granted = account.ask(wanted, least: least)
            shared.withLock { $0.state.noteMemory(granted, of: wanted) }
        }
        let now = now()
        // Order: released images are freed before the next frame is allocated.
        let (frame, goesOn) = change { shared in
            let frame = shared.state.beginDecode(at: now)
            // Order: under one lock, so that code that finds no queued job also sees the reason why the last one ended.
            if frame == nil, !shared.hasUpdate { shared.isScheduled = false }
            return (frame, shared.isScheduled)
        }
        guard goesOn else { return }
        if let frame {
            let result = decode(frame)
            let end = self.now()
            notify { shared in
                if case .success = result { shared.decodedFrames += 1 }
                defer { account?.set(to: shared.state.bytesInUse) }
                return shared.state.endDecode(result, at: end)
            }
        }
        run { self.work() }
    }

    /// Reads new information from the decoder.
    private func learn() {
        let hasUpdate = shared.withLock { shared in
            defer { shared.hasUpdate = false }
            return shared.hasUpdate
        }
        guard hasUpdate else { return }
        // Order: reads the status first, so that frames that arrive in between are not mistaken for the last ones.
        let status = decoder.status
        let isAllKnown = status == .complete || status == .error
        let frames = decoder.frames
        // A decoder of a still image need not report its only frame as complete.
        let isStill = frames.count == 1 && status == .complete
        let whole = isStill ? frames[...] : frames.prefix { $0.isComplete }
        let timeline = AnimationTimeline(
            durations: whole.map { $0.displayDuration ?? AnimationTimeline.defaultDuration }, isAllKnown: isAllKnown,
            repetition: decoder.repetitionCount ?? .once)
        let bytes = frames.first.map { estimate(of: $0.size) } ?? 0
        notify { $0.state.learned(timeline, frameBytes: bytes) }
    }

    private func notify(_ body: (inout Shared) -> [Int]) {
        let notices = shared.withLock { shared in body(&shared).compactMap { shared.notices[$0] } }
        for notice in notices { notice() }
    }

    private func estimate(of size: PixelSize) -> Int {
        let size = (options.targetSize ?? processing.decodingTarget)?.resolved(for: size) ?? size
        guard let row = try? Bitmap.bytesPerRow(width: size.width, format: options.pixelFormat) else { return Int.max }
        return row.saturatingMultiply(max(1, size.height))
    }

    /// Returns a decoded frame after resizing and processing.
    private func processed(_ image: Bitmap, displaySize: PixelSize) throws -> Bitmap {
        var image = image
        if let size = options.targetSize?.resolved(for: displaySize), size != image.size {
            image = try image.resized(to: size)
        }
        if processing.processors.isEmpty { return image }
        let context = ImageProcessingContext(limits: decoder.limits, stripes: StripeCrew.shared)
        return try processing.process(ImageContainer(image: image, originalSize: displaySize), context: context).image
    }

    private func decode(_ index: Int) -> Result<Bitmap, ImageError> {
        Result { () throws(ImageError) -> Bitmap in
            var options = options
            options.targetSize = options.targetSize ?? processing.decodingTarget
            let frame = try decoder.frame(at: index, options: options)
            let image = try frame.image()
            do {
                return try processed(image, displaySize: frame.displaySize)
            } catch {
                throw ImageError(error, at: .processing, format: decoder.format)
            }
        }
    }
}
