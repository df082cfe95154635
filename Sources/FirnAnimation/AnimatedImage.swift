public import FirnImage
import FirnPipeline
import FirnProcessing
import FirnSync

/// An animation that is played from a file, with few frames in memory: frames are decoded ahead of those who watch, on
/// threads of Firn's own, and let go once they were shown.
///
///     let animated = AnimatedImage(decoder: decoder)
///     let viewer = animated.makeViewer { view.redrawSoon() }
///     // whenever the view draws:
///     draw(viewer.frame())
///     redraw(at: viewer.nextChange)
///
/// Watching can begin before the file's last byte has come: frames appear as they become complete; one that is not is
/// never shown. A single image is an animation of one frame.
///
/// All frames have the size and pixel format of `options`, or what the processors make of it: each frame is processed
/// when it was decoded, and nothing is kept but the result. Views of different sizes take an animation each, over one
/// decoder if they like. How viewers at different places share frames, and what becomes of frames that are late, is
/// decided as ``makeViewer(onChange:)`` says.
public final class AnimatedImage: Sendable {
    /// The decoder that frames come from.
    public let decoder: ImageDecoder

    private let options: DecodingOptions
    /// What is done to every frame.
    private let processing: ImageProcessors.Composition
    private let now: @Sendable () -> Duration
    private let run: @Sendable (@escaping AnimationWorkers.Job) -> Void
    private let shared: Locked<Shared>
    private let account: MemoryAccount?

    private struct Shared {
        var state: AnimationState
        var notices: [Int: @Sendable () -> Void] = [:]
        /// Whether a job of this animation waits or runs. There is one at most.
        var isScheduled = false
        /// Whether the decoder may know more than the state.
        var hasNews = true
        var decodedFrames = 0
    }

    /// Creates an animation that has no viewer yet.
    ///
    /// - Parameters:
    ///   - decoder: has got some of the file's bytes, or all.
    ///   - options: size and pixel format of all frames. A target size is met exactly. `frame` and `allowsPartial` are
    ///     not looked at. Default: every pixel, in the screen's layout.
    ///   - processors: what is done to every frame, in order. Without a target size in `options` frames are decoded no
    ///     larger than the first of them needs. A frame that one of them fails on counts as one that cannot be decoded.
    ///   - memory: what the frames share their memory with. While that is short there are two frames. Default: all else in
    ///     this process that is given no other budget.
    ///   - clock: tells when frames are due. Default: the system's continuous clock.
    public convenience init(
        decoder: ImageDecoder, options: DecodingOptions = DecodingOptions(), processors: [any ImageProcessing] = [],
        memory: MemoryBudget? = .shared, clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            decoder: decoder, options: options, processors: processors, budget: AnimationBudget(), memory: memory,
            clock: clock)
    }

    /// An animation that keeps as many frames in memory as `budget` says.
    package convenience init(
        decoder: ImageDecoder, options: DecodingOptions = DecodingOptions(), processors: [any ImageProcessing] = [],
        budget: AnimationBudget, memory: MemoryBudget? = .shared, clock: some Clock<Duration> = ContinuousClock()
    ) {
        let start = clock.now
        self.init(
            decoder: decoder, options: options, processors: processors, budget: budget, memory: memory,
            now: { start.duration(to: clock.now) },
            run: { AnimationWorkers.shared.run($0) })
    }

    /// - Parameter run: runs a job some time, on any thread.
    init(
        decoder: ImageDecoder, options: DecodingOptions, processors: [any ImageProcessing] = [],
        budget: AnimationBudget, memory: MemoryBudget? = nil,
        now: @escaping @Sendable () -> Duration, run: @escaping @Sendable (@escaping AnimationWorkers.Job) -> Void
    ) {
        self.decoder = decoder
        var options = options
        options.allowsPartial = false
        self.options = options
        processing = ImageProcessors.Composition(processors)
        self.now = now
        self.run = run
        shared = Locked(Shared(state: AnimationState(budget: budget)))
        account = memory?.openAnimation()
        account?.listen { [weak self] in self?.memoryChanged() }
    }

    /// The time on the animation's clock, from when the animation was made.
    public var time: Duration { now() }

    /// How many frames may be in memory. A smaller budget takes effect with the next frame.
    package var budget: AnimationBudget {
        get { shared.withLock { $0.state.budget } }
        set {
            shared.withLock { $0.state.budget = newValue }
            kick()
        }
    }

    /// Frames in memory, the one being decoded among them.
    public var residentFrames: Int { shared.withLock { $0.state.ring.count } }

    /// Bytes of the frames in memory.
    public var residentBytes: Int { shared.withLock { $0.state.ring.bytes } }

    /// Frames decoded so far, over all plays.
    public var decodedFrames: Int { shared.withLock { $0.decodedFrames } }

    /// Releases all frames that are not shown, and from then on keeps half as many: for when memory is short.
    public func trim() {
        let released = shared.withLock { shared in
            shared.state.trim()
            return takeReleased(&shared)
        }
        drop(released)
    }

    /// Adds a viewer: frames are decoded from now on until the viewer is detached or gone.
    ///
    /// - Viewers share frames. Each has its own place in time, which starts with the first frame it is given. Decoding
    ///   serves them in turn, the most urgent frames first; viewers that are apart have fewer frames decoded ahead.
    /// - A viewer is given the newest frame that is ready and due. Frames whose time has passed are skipped, so that the
    ///   animation keeps its speed; a viewer who is more than a second late, because nobody asked or decoding is too
    ///   slow, goes on with the frame after the last one instead.
    /// - When the last viewer leaves, the decode under way is cancelled and all frames are let go.
    ///
    /// - Parameter onChange: called, on one of Firn's threads, when a frame has become ready that the viewer lacked when it
    ///   asked. Must return quickly.
    public func makeViewer(onChange: @escaping @Sendable () -> Void = {}) -> AnimationViewer {
        let now = now()
        let id = shared.withLock { shared in
            let id = shared.state.attach(at: now)
            shared.notices[id] = onChange
            return id
        }
        kick()
        return AnimationViewer(image: self, id: id)
    }

    /// Says that the decoder was handed more bytes, or told that there are no more.
    public func dataDidArrive() {
        shared.withLock { $0.hasNews = true }
        kick()
    }

    // MARK: Viewers

    func detach(_ viewer: Int) {
        let (isLast, released) = shared.withLock { shared in
            shared.notices[viewer] = nil
            let isLast = shared.state.detach(viewer) && shared.state.ring.decoding != nil
            return (isLast, takeReleased(&shared))
        }
        drop(released)
        if isLast { decoder.cancelDecoding() } else { kick() }
    }

    /// Changes or asks the state for a viewer, and has decoded what is then needed.
    func update<Result>(_ body: (inout AnimationState) -> Result) -> Result {
        let result = shared.withLock { body(&$0.state) }
        kick()
        return result
    }

    /// Asks the state.
    func read<Result>(_ body: (AnimationState) -> Result) -> Result { shared.withLock { body($0.state) } }

    // MARK: Memory

    /// Asks for the memory of one frame more than there are.
    private func askForMemory() {
        guard let account else { return }
        guard let (wanted, least) = shared.withLock({ $0.state.memoryWanted }) else { return }
        let granted = account.ask(wanted, least: least)
        shared.withLock { $0.state.noteMemory(granted, of: wanted) }
    }

    /// The budget has become smaller or larger.
    private func memoryChanged() {
        let released = shared.withLock { shared in
            if account?.isShort ?? false { shared.state.keepOnlyShown() }
            return takeReleased(&shared)
        }
        drop(released)
        kick()
    }

    /// What the state let go of, of which the budget is told in the same breath.
    private func takeReleased(_ shared: inout Shared) -> [Bitmap] {
        account?.set(to: shared.state.bytesInUse)
        return shared.state.takeReleased()
    }

    // MARK: Work

    /// Hands in a job if there is something to do and none is on its way.
    private func kick() {
        let now = now()
        let isNeeded = shared.withLock { shared in
            guard !shared.isScheduled, shared.state.isWatched else { return false }
            guard shared.hasNews || shared.state.hasWork(at: now) else { return false }
            shared.isScheduled = true
            return true
        }
        if isNeeded { run { self.work() } }
    }

    /// Decodes one frame and hands in the next job: animations take turns.
    private func work() {
        learn()
        askForMemory()
        let now = now()
        let (frame, goesOn, released) = shared.withLock { shared in
            let frame = shared.state.beginDecode(at: now)
            // Order: in the same breath, so that whoever finds no job on its way also finds what ended the last one.
            if frame == nil, !shared.hasNews { shared.isScheduled = false }
            return (frame, shared.isScheduled, takeReleased(&shared))
        }
        // Order: what is released is given back before the next frame takes its place, and not under the lock.
        drop(released)
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

    /// Gives images back, unless a view still has them.
    private func drop(_ images: consuming [Bitmap]) {}

    /// Takes over what the decoder has learned.
    private func learn() {
        let hasNews = shared.withLock { shared in
            defer { shared.hasNews = false }
            return shared.hasNews
        }
        guard hasNews else { return }
        // Order: the status first, so that frames that come in between are not taken for the last ones.
        let status = decoder.status
        let isAllKnown = status == .complete || status == .error
        let frames = decoder.frames
        // A decoder of stills only need not say that its one frame is complete.
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
        let (bytes, overflow) = row.multipliedReportingOverflow(by: max(1, size.height))
        return overflow ? Int.max : bytes
    }

    /// A decoded frame as it is shown.
    private func processed(_ image: Bitmap, displaySize: PixelSize) throws -> Bitmap {
        var image = image
        if let size = options.targetSize?.resolved(for: displaySize), size != image.size {
            image = try image.resized(to: size)
        }
        if processing.processors.isEmpty { return image }
        let context = ImageProcessingContext(limits: decoder.limits, stripes: StripeCrew.shared)
        return try processing.process(ImageContainer(image: image, originalSize: displaySize), context: context).image
    }

    private func decode(_ index: Int) -> Result<Bitmap, ImageDecodingError> {
        do throws(ImageDecodingError) {
            var options = options
            options.targetSize = options.targetSize ?? processing.decodingTarget
            let frame = try decoder.frame(at: index, options: options)
            let image = try frame.image()
            do {
                return .success(try processed(image, displaySize: frame.displaySize))
            } catch {
                return .failure(ImageDecodingError(.limit, "\(error)", format: decoder.format))
            }
        } catch {
            return .failure(error)
        }
    }
}
