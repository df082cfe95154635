import FirnData
import FirnImage
public import FirnPipeline

/// What the views of a list or a window share: the pipeline, what becomes of requests of views that go away, and the
/// deliveries to the drawing thread.
///
/// One for a list is right: a request whose cell goes away is taken over by the next cell of the same list that shows
/// the same image.
@MainActor public final class BindingContext {
    /// Loads the images.
    public let pipeline: ImagePipeline
    /// The options of loads that have none of their own.
    public var options: ImageLoadingOptions
    /// What has happened so far.
    package internal(set) var statistics = BindingStatistics()

    /// Whether the list moves so fast that nobody sees a transition: images then appear without. Default: no. To be set by
    /// the code that follows the list.
    ///
    /// A transition paints every image several times, twice each; a list that is scrolled fast has no time for that.
    public var isInMotion = false

    private let frames: any FrameScheduling
    let now: @Sendable () -> Duration
    var handOver: HandOver<ImageCacheKey, ObjectIdentifier>
    var queue = DeliveryQueue<ObjectIdentifier, Delivery>(budget: .milliseconds(4))
    /// Loads that no view holds.
    var unclaimed: [ObjectIdentifier: BindingLoad] = [:]
    private var placeholders = PlaceholderImages()
    private var isFrameAwaited = false
    private(set) lazy var mailbox = LoadMailbox(frames: frames) { [weak self] in self?.takeTurn() }

    /// - Parameters:
    ///   - options: for loads that bring none of their own.
    ///   - policy: what becomes of requests of views that have gone away. Default: `cancel`.
    ///   - frames: how the drawing thread is called; `nil`, the default, for the main queue.
    ///   - pausedLimit: how many requests may stand still under the policy `pause`; the oldest make room. Default: 128,
    ///     three screens of a dense grid: what one scrolls back to.
    ///   - now: a clock that never runs backwards, for the budget of a frame. Default: the system's.
    public init(
        pipeline: ImagePipeline, options: ImageLoadingOptions = ImageLoadingOptions(), policy: ReusePolicy = .cancel,
        frames: (any FrameScheduling)? = nil, pausedLimit: Int = 128,
        now: (@Sendable () -> Duration)? = nil
    ) {
        self.pipeline = pipeline
        self.options = options
        self.frames = frames ?? MainQueueFrames()
        self.now = now ?? { Duration.monotonic() }
        handOver = HandOver(policy: policy, limit: pausedLimit)
    }

    isolated deinit {
        for load in unclaimed.values { load.cancel() }
    }

    /// How requests of views that have gone away are treated. A change counts for those that left before, too.
    public var policy: ReusePolicy {
        get { handOver.policy }
        set { perform(handOver.setPolicy(newValue)) }
    }

    /// How long images may be handed to views within a frame; what is left waits for the next frame, the most visible
    /// first. Default: 4 ms, a quarter of a frame. One image is handed over in any case.
    public var frameBudget: Duration {
        get { queue.budget }
        set { queue.budget = newValue }
    }

    /// Requests of views that have gone away, which go on or stand still.
    package var unclaimedCount: Int { handOver.count }

    /// The image or the color of a placeholder.
    func content(of placeholder: ImagePlaceholder) -> PlaceholderImages.Content {
        placeholders.content(of: placeholder)
    }

    /// Makes sure that ``frameEnded()`` is called.
    func awaitFrame() {
        guard !isFrameAwaited else { return }
        isFrameAwaited = true
        frames.afterFrame { [weak self] in self?.frameEnded() }
    }

    private func frameEnded() {
        isFrameAwaited = false
        perform(handOver.frameEnded())
        queue.frameEnded()
        deliver()
    }
}
