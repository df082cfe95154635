import FirnImage

/// Everything that decides about an animation: who watches, what is due, what is decoded next. Events in, actions out;
/// it reads no clock, takes no lock and decodes nothing.
///
/// Viewers share frames, and each has its own place in time. Decoding serves them in turn: first what is due for each,
/// then what follows next for each, and so on as far as the budget goes. Viewers in step cost what one costs; viewers
/// far apart share the same room, and each has fewer frames decoded ahead.
///
/// A viewer is shown the newest frame that is ready and due by then, never one that is older than what it shows. If
/// decoding is slow, frames whose time has passed are skipped, up to ``maximumSkip`` in a row: in most formats a frame
/// needs all before it decoded anyway, so skipping more would not show more. A viewer who falls behind by more than
/// ``PlaybackSchedule/resyncLimit`` nevertheless has its time set back: it then sees every frame for longer.
///
/// For a viewer who does not ask, frames are decoded as far as its lookahead goes, and no further.
struct AnimationState {
    /// Most frames skipped for one that is decoded.
    static let maximumSkip = 4

    private(set) var timeline = AnimationTimeline()
    private(set) var ring = FrameRing()
    var budget: AnimationBudget
    /// Bytes of one frame, by estimate until one is there.
    private var frameBytes = 0
    /// Frames that there is memory for; `nil` where that is no limit.
    private var affordableFrames: Int?
    private var viewers: [Int: ViewerState] = [:]
    private var lastViewer = 0

    init(budget: AnimationBudget) { self.budget = budget }

    /// Whether anybody watches.
    var isWatched: Bool { !viewers.isEmpty }

    // MARK: Viewers

    /// Somebody watches from now on, from the first frame.
    mutating func attach(at now: Duration) -> Int {
        lastViewer += 1
        viewers[lastViewer] = ViewerState(lastAsked: now)
        return lastViewer
    }

    /// Somebody left.
    ///
    /// - Returns: whether it was the last one, so that decoding is to stop. Frames are then let go.
    mutating func detach(_ viewer: Int) -> Bool {
        guard viewers.removeValue(forKey: viewer) != nil else { return false }
        guard viewers.isEmpty else { return false }
        ring.keepOnly([])
        return true
    }

    mutating func pause(_ viewer: Int, at now: Duration) {
        viewers[viewer]?.schedule.advance(to: now, timeline)
        viewers[viewer]?.schedule.pause(at: now)
    }

    mutating func resume(_ viewer: Int, at now: Duration) { viewers[viewer]?.schedule.resume(at: now) }

    /// Starts over from the first frame.
    mutating func restart(_ viewer: Int) { viewers[viewer]?.restart() }

    /// What a viewer is to show now.
    mutating func image(for viewer: Int, at now: Duration) -> Bitmap? {
        viewers[viewer]?.show(at: now, timeline, ring)
    }

    /// When to ask again; `nil` if that is not a matter of time.
    func nextChange(for viewer: Int) -> Duration? { viewers[viewer]?.schedule.nextChange }

    /// Whether a viewer has seen its last frame.
    func isFinished(_ viewer: Int) -> Bool { viewers[viewer]?.schedule.isFinished ?? true }

    // MARK: Frames

    /// More is known of the file.
    ///
    /// - Returns: viewers who may have something new to show.
    mutating func learned(_ timeline: AnimationTimeline, frameBytes estimate: Int) -> [Int] {
        if frameBytes == 0 { frameBytes = estimate }
        ring.retryLacking()
        guard timeline != self.timeline else { return [] }
        self.timeline = timeline
        let waiting = viewers.filter { $0.value.schedule.isWaiting }.keys.sorted()
        return waiting
    }

    /// What to decode now; that decode is then under way.
    mutating func beginDecode(at now: Duration) -> Int? {
        guard let next = plan(at: now) else { return nil }
        ring.begin(next)
        return next
    }

    /// Whether ``beginDecode(at:)`` would give a frame, or release some. Changes nothing.
    func hasWork(at now: Duration) -> Bool {
        var copy = self
        return copy.plan(at: now) != nil || copy.ring.released.count > ring.released.count
    }

    /// The images let go of since the last call, to be given back outside of the lock.
    mutating func takeReleased() -> [Bitmap] { ring.takeReleased() }

    /// The decode under way has ended.
    ///
    /// - Returns: viewers who lacked this frame.
    mutating func endDecode(_ result: Result<Bitmap, ImageDecodingError>, at now: Duration) -> [Int] {
        if case .success(let image) = result { frameBytes = max(1, image.cost) }
        ring.end(result)
        guard isWatched else {
            ring.keepOnly([])
            return []
        }
        var served: [Int] = []
        for id in viewers.keys.sorted() where viewers[id]?.noticesReady(timeline, ring) == true { served.append(id) }
        return served
    }

    /// Lets go of all frames that are not shown and halves the budget, two frames being the least.
    mutating func trim() {
        budget.maximumFrames = max(2, budget.maximumFrames / 2)
        budget.maximumBytes = max(0, budget.maximumBytes / 2)
        keepOnlyShown()
    }

    /// Lets go of all frames that are not shown.
    mutating func keepOnlyShown() {
        ring.keepOnly(Set(viewers.values.compactMap { $0.shownFrame(timeline) }))
    }

    // MARK: Memory

    /// Bytes of the frames that are resident, and of the one that is being decoded.
    var bytesInUse: Int {
        let present = ring.bytes
        guard ring.count > ring.images.count else { return present }
        let (sum, overflow) = present.addingReportingOverflow(frameBytes)
        return overflow ? .max : sum
    }

    /// Bytes for one frame more than there are, and for the two without which nothing can be played; `nil` while nobody watches.
    var memoryWanted: (wanted: Int, least: Int)? {
        guard isWatched, frameBytes > 0 else { return nil }
        let (least, overflow) = frameBytes.multipliedReportingOverflow(by: 2)
        let (wanted, tooLarge) = bytesInUse.addingReportingOverflow(frameBytes)
        return (tooLarge ? .max : wanted, overflow ? .max : least)
    }

    /// Takes note of how much of the memory wanted there is.
    mutating func noteMemory(_ granted: Int, of wanted: Int) {
        affordableFrames = granted >= wanted || frameBytes == 0 ? nil : max(2, granted / frameBytes)
    }

    private mutating func plan(at now: Duration) -> Int? {
        guard timeline.count > 0, isWatched else { return nil }
        let capacity = min(budget.frames(of: frameBytes), affordableFrames ?? .max)
        var pinned: Set<Int> = []
        var rows: [[Int]] = []
        for id in viewers.keys.sorted() {
            guard var viewer = viewers[id] else { continue }
            viewer.schedule.advance(to: min(now, viewer.lastAsked + budget.lookahead), timeline)
            pinned.formUnion(viewer.needed(timeline, ring))
            rows.append(viewer.wanted(timeline, ring, budget.lookahead, capacity))
            viewers[id] = viewer
        }
        let depth = rows.map(\.count).max() ?? 0
        let wanted = (0..<depth).flatMap { step in rows.compactMap { step < $0.count ? $0[step] : nil } }
        return ring.plan(wanted: wanted, pinned: pinned, capacity: capacity)
    }
}
