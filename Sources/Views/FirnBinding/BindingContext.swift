import FirnProcessing

/// Holds the state that the views of a list or window share: the pipeline, the policy for released requests, and the
/// deliveries to the drawing thread.
///
/// Use one context per list. The next cell of the list that shows the same image then takes over a released request.
@MainActor public final class BindingContext {
    /// The pipeline that loads the images.
    public let pipeline: ImagePipeline
    /// The options for views without their own.
    public var options: ImageLoadingOptions
    /// The counts of the views' requests so far.
    package internal(set) var statistics = BindingStatistics()
    /// Images whose load ended after their last view had released them.
    public var unwantedCount: Int { statistics.unwanted }

    /// True if the list scrolls too fast for transitions; images then appear without one. Default: false. Set by the
    /// code that observes the list.
    ///
    /// A transition paints several frames per image, each with both images. A fast-scrolling list has no time for that.
    public var isInMotion = false

    /// True if the list is scrolling. Default: false. Set by the code that observes the list.
    ///
    /// Meanwhile, the pipeline's decodes and processors leave one core to the drawing thread and the display server.
    /// With few cores, frames would otherwise be late, whatever the priority of the decoding threads: a waking thread
    /// may run for one tick of the system's clock before the drawing thread continues.
    public var isScrolling = false {
        didSet { if isScrolling != oldValue { pipeline.listScrolls(isScrolling) } }
    }

    private let frames: any FrameScheduling
    let now: @Sendable () -> Duration
    var released: ReleasedLoads<ImageRequest.LoadKey, ObjectIdentifier>
    var queue = DeliveryQueue<ObjectIdentifier, Delivery>(budget: .milliseconds(4))
    /// The loads that no view holds.
    var unclaimed: [ObjectIdentifier: BindingLoad] = [:]
    var placeholders = PlaceholderImages()
    private var isFrameAwaited = false
    private(set) lazy var mailbox = LoadMailbox(frames: frames) { [weak self] in self?.takeTurn() }

    /// - Parameters:
    ///   - options: the options for views without their own.
    ///   - policy: the treatment of released requests. Default: `cancel`.
    ///   - frames: the way to call the drawing thread. `nil` (the default) uses the main queue.
    ///   - pausedLimit: the maximum number of paused requests under the policy `pause`; the oldest are cancelled first.
    ///     Default: 128, three screens of a dense grid, as far as users scroll back.
    ///   - now: a monotonic clock for the budget of a frame. Default: the system's.
    public init(
        pipeline: ImagePipeline, options: ImageLoadingOptions = ImageLoadingOptions(),
        policy: ImageReusePolicy = .cancel,
        frames: (any FrameScheduling)? = nil, pausedLimit: Int = 128,
        now: (@Sendable () -> Duration)? = nil
    ) {
        self.pipeline = pipeline
        self.options = options
        self.frames = frames ?? MainQueueFrames()
        self.now = now ?? { Duration.monotonic() }
        released = ReleasedLoads(policy: policy, limit: pausedLimit)
    }

    isolated deinit {
        if isScrolling { pipeline.listScrolls(false) }
        for load in unclaimed.values { load.cancel() }
    }

    /// The treatment of released requests. A change also applies to requests that are already released.
    public var policy: ImageReusePolicy {
        get { released.policy }
        set { perform(released.setPolicy(newValue)) }
    }

    /// The time for delivering images within a frame. The rest is delivered in the next frame, most visible first.
    /// Default: 4 ms, a quarter of a frame. Each frame delivers at least one image.
    public var frameBudget: Duration {
        get { queue.budget }
        set { queue.budget = newValue }
    }

    /// The number of running or paused requests that no view holds.
    package var unclaimedCount: Int { released.count }

    /// Schedules a call of ``frameEnded()`` unless one is already scheduled.
    func awaitFrame() {
        guard !isFrameAwaited else { return }
        isFrameAwaited = true
        frames.afterFrame { [weak self] in self?.frameEnded() }
    }

    private func frameEnded() {
        isFrameAwaited = false
        perform(released.frameEnded())
        queue.frameEnded()
        deliver()
    }

    /// Empties the mailbox and delivers its events. Runs on the drawing thread.
    func takeTurn() {
        statistics.turns += 1
        for delivery in mailbox.empty() {
            let load = delivery.load
            if let preview = delivery.update.preview { load.preview = preview }
            guard load.binding == nil else {
                queue.add(load.id, delivery) { $0.update.merge($1.update) }
                continue
            }
            load.notePreviewTaken()
            guard let result = delivery.update.result else { continue }
            if case .success = result { statistics.unwanted += 1 }
            perform(released.finish(load.id))
        }
        deliver()
    }

    /// Delivers events to the views until the budget of this frame is used up.
    func deliver() {
        guard !queue.isEmpty else { return }
        queue.beginTurn(now: moment) { $0.load.binding?.visibility }
        let start = moment
        while let (_, delivery) = queue.next(now: moment) {
            delivery.load.notePreviewTaken()
            delivery.load.binding?.take(delivery.update, of: delivery.load)
        }
        let end = moment
        queue.endTurn(now: end)
        statistics.deliveryTime += .nanoseconds(max(0, end - start))
        if !queue.isEmpty { statistics.postponements += 1 }
        awaitFrame()
    }

    private var moment: Int64 { now().nanoseconds }

    /// Returns a running load of this request, taken over from another view or started now, or the result if it is
    /// available at once.
    func load(
        _ request: ImageRequest, for binding: ViewBinding, number: Int, interest: BindingLoad.Interest
    ) -> LoadStart {
        let former = released.isEmpty ? nil : released.claim(request.loadKey)
        let claimed = former.flatMap { unclaimed.removeValue(forKey: $0.id) }
        claimed?.resume(request.priority)
        let task = claimed?.task ?? pipeline.imageTask(with: request)
        if claimed != nil { statistics.takenOver += 1 }
        if let outcome = task.outcome { return .ended(task, outcome) }
        if claimed == nil { statistics.starts += 1 }
        let load = claimed ?? BindingLoad(key: request.loadKey, task: task, mailbox: mailbox)
        load.bind(binding, number: number, interest: interest)
        return .running(load)
    }

    /// Releases the load of a view that no longer needs it.
    func release(_ load: BindingLoad) {
        load.binding = nil
        // A view that takes over the load finds undelivered events in the task.
        queue.remove(load.id)
        unclaimed[load.id] = load
        perform(released.add(load.id, key: load.key, hasEnded: load.task.outcome != nil))
        awaitFrame()
    }

    func cancel(_ load: BindingLoad) {
        queue.remove(load.id)
        load.cancel()
    }

    func perform(_ actions: [ReleasedLoads<ImageRequest.LoadKey, ObjectIdentifier>.Action]) {
        for action in actions {
            switch action {
            case .cancel(let id): unclaimed.removeValue(forKey: id)?.cancel()
            case .lower(let id): unclaimed[id]?.setPriority(.veryLow)
            case .pause(let id): unclaimed[id]?.pause()
            case .resume(let id): unclaimed[id]?.resume(.veryLow)
            case .forget(let id): unclaimed[id] = nil
            }
        }
    }
}

/// Caches the images of placeholders, so that a hash is decoded once for all cells that show the same item.
struct PlaceholderImages {
    /// The maximum number of images: a few screens of cells, at 4 KiB each.
    private let limit = 256
    private var images: [Hash: Bitmap] = [:]

    private enum Hash: Hashable {
        case blur(String)
        case thumb(Data)
    }

    /// Returns the image or color of a placeholder; neither if a hash is damaged.
    mutating func content(of placeholder: ImagePlaceholder) -> (image: Bitmap?, color: SRGBColor?) {
        switch placeholder {
        case .image(let image): (image, nil)
        case .color(let color): (nil, color)
        case .blurHash(let text): (image(of: .blur(text)) { BlurHash(text)?.bitmap() }, nil)
        case .thumbHash(let data): (image(of: .thumb(data)) { ThumbHash(data)?.bitmap() }, nil)
        case .keep: (nil, nil)
        }
    }

    private mutating func image(of hash: Hash, _ decode: () -> Bitmap?) -> Bitmap? {
        if let image = images[hash] { return image }
        guard let image = decode() else { return nil }
        if images.count >= limit { images.removeAll(keepingCapacity: true) }
        images[hash] = image
        return image
    }
}
