import FirnSync

/// Makes all decisions about an animation: the due frames and the next frame to decode. Events in, actions out; it
/// reads no clock, takes no lock and does not decode.
///
/// Viewers share frames, and each has its own position in time. Decoding serves them in turn: first the due frame of
/// each, then the following frames, as far as the budget allows. Viewers at the same position cost as much as one
/// viewer; viewers at different positions share the same budget, so each has fewer frames decoded ahead.
///
/// A viewer shows the newest frame that is ready and due, never an older frame than before. If decoding is slow, late
/// frames are skipped, up to ``maximumSkip`` in a row: in most formats a frame depends on all earlier frames, so
/// skipping more would not show more. If a viewer is late by more than ``PlaybackSchedule/resyncLimit``, its time is
/// set back; it then shows every frame for longer.
///
/// If a viewer is not asked for frames, frames are decoded up to its lookahead.
struct AnimationState {
    /// The maximum number of frames skipped per decoded frame.
    static let maximumSkip = 4

    private(set) var timeline = AnimationTimeline()
    private(set) var ring = FrameRing()
    var budget: AnimationBudget
    /// The bytes of one frame; an estimate until a frame is decoded.
    private var frameBytes = 0
    /// The number of frames that the granted memory allows; `nil` if memory is not limited.
    private var affordableFrames: Int?
    private var viewers: [Int: ViewerState] = [:]
    private var lastViewer = 0

    init(budget: AnimationBudget = AnimationBudget()) { self.budget = budget }

    /// True if any viewer is not suspended.
    var isWatched: Bool { viewers.contains { !$0.value.isSuspended } }

    // MARK: Viewers

    /// Adds a viewer.
    ///
    /// - Parameter ordinal: the frame to start with. Default: the first.
    mutating func attach(at now: Duration, startingWith ordinal: Int = 0) -> Int {
        lastViewer += 1
        viewers[lastViewer] = ViewerState(lastRequest: now, ordinal: ordinal)
        return lastViewer
    }

    /// Returns the frame due for a viewer, counted over all plays.
    func ordinal(of viewer: Int) -> Int { viewers[viewer]?.schedule.ordinal ?? 0 }

    /// Removes a viewer.
    ///
    /// - Returns: whether no viewer needs frames any longer, so that decoding must stop. All frames are then released.
    mutating func detach(_ viewer: Int) -> Bool {
        guard viewers.removeValue(forKey: viewer) != nil else { return false }
        return releaseUnwatched()
    }

    /// Stops a viewer's time and keeps only the frame that it shows.
    ///
    /// - Returns: the same as ``detach(_:)``.
    mutating func suspend(_ viewer: Int, at now: Duration) -> Bool {
        guard viewers[viewer]?.isSuspended == false else { return false }
        pause(viewer, at: now)
        viewers[viewer]?.isSuspended = true
        return releaseUnwatched()
    }

    private mutating func releaseUnwatched() -> Bool {
        guard !isWatched else { return false }
        ring.keepOnly([])
        return true
    }

    mutating func pause(_ viewer: Int, at now: Duration) {
        viewers[viewer]?.schedule.advance(to: now, timeline)
        viewers[viewer]?.schedule.pause(at: now)
    }

    mutating func resume(_ viewer: Int, at now: Duration) {
        viewers[viewer]?.schedule.resume(at: now)
        viewers[viewer]?.isSuspended = false
        viewers[viewer]?.lastRequest = now
    }

    /// Pauses a viewer at another frame.
    mutating func step(_ viewer: Int, by frames: Int, at now: Duration) {
        viewers[viewer]?.step(by: frames, at: now, timeline)
    }

    /// Returns whether a viewer does not show its due frame, unless that cannot be decoded.
    func isWaiting(_ viewer: Int) -> Bool { viewers[viewer]?.lacks(timeline, ring) ?? false }

    /// Starts again from the first frame.
    mutating func restart(_ viewer: Int) { viewers[viewer]?.restart() }

    /// Returns the image that a viewer shows now.
    mutating func image(for viewer: Int, at now: Duration) -> Bitmap? {
        viewers[viewer]?.show(at: now, timeline, ring)
    }

    /// Returns the time when the viewer needs another frame; `nil` if that does not depend on time.
    func nextChange(for viewer: Int) -> Duration? { viewers[viewer]?.schedule.nextChange }

    /// Returns whether a viewer shows its last frame.
    func isFinished(_ viewer: Int) -> Bool { viewers[viewer]?.isFinished(timeline, ring) ?? true }

    // MARK: Frames

    /// Records new information about the file.
    ///
    /// - Returns: the viewers that may have a new frame to show.
    mutating func learned(_ timeline: AnimationTimeline, frameBytes estimate: Int) -> [Int] {
        if frameBytes == 0 { frameBytes = estimate }
        ring.retryLacking()
        guard timeline != self.timeline else { return [] }
        self.timeline = timeline
        return viewers.filter { $0.value.schedule.isWaiting }.keys.sorted()
    }

    /// Returns the frame to decode now, and marks its decode as running.
    mutating func beginDecode(at now: Duration) -> Int? {
        guard let next = plan(at: now) else { return nil }
        ring.begin(next)
        return next
    }

    /// Returns whether ``beginDecode(at:)`` would return or release a frame. Changes nothing.
    func hasWork(at now: Duration) -> Bool {
        var copy = self
        return copy.plan(at: now) != nil || copy.ring.released.count > ring.released.count
    }

    /// Removes and returns the released images, which are freed outside the lock.
    mutating func takeReleased() -> [Bitmap] { ring.takeReleased() }

    /// Records the result of the running decode.
    ///
    /// - Returns: the viewers that were waiting for this frame.
    mutating func endDecode(_ result: Result<Bitmap, ImageError>, at now: Duration) -> [Int] {
        if case .success(let image) = result { frameBytes = max(1, image.cost) }
        ring.end(result)
        guard isWatched else {
            ring.keepOnly([])
            return []
        }
        return viewers.keys.sorted().filter { viewers[$0]?.noticesReady(timeline, ring) == true }
    }

    /// Releases all frames that are not shown, and halves the budget to no less than two frames.
    mutating func trim() {
        budget.maximumFrames = max(2, budget.maximumFrames / 2)
        budget.maximumBytes = max(0, budget.maximumBytes / 2)
        keepOnlyShown()
    }

    /// Releases all frames that are not shown.
    mutating func keepOnlyShown() {
        ring.keepOnly(Set(viewers.values.compactMap { $0.isSuspended ? nil : $0.shownFrame(timeline) }))
    }

    // MARK: Memory

    /// The bytes of the frames in memory, including the frame being decoded.
    var bytesInUse: Int {
        ring.count > ring.images.count ? ring.bytes.saturatingAdd(frameBytes) : ring.bytes
    }

    /// The bytes for one more frame, and for the two that playback needs; `nil` without viewers.
    var memoryWanted: (wanted: Int, least: Int)? {
        guard isWatched, frameBytes > 0 else { return nil }
        return (bytesInUse.saturatingAdd(frameBytes), frameBytes.saturatingMultiply(2))
    }

    /// Records how much of the requested memory was granted.
    mutating func noteMemory(_ granted: Int, of wanted: Int) {
        affordableFrames = granted >= wanted || frameBytes == 0 ? nil : max(2, granted / frameBytes)
    }

    private mutating func plan(at now: Duration) -> Int? {
        guard timeline.count > 0, isWatched else { return nil }
        let capacity = min(budget.frames(of: frameBytes), affordableFrames ?? .max)
        var pinned: Set<Int> = []
        var rows: [[Int]] = []
        for id in viewers.keys.sorted() {
            guard var viewer = viewers[id], !viewer.isSuspended else { continue }
            viewer.schedule.advance(to: min(now, viewer.lastRequest + budget.lookahead), timeline)
            pinned.formUnion(viewer.needed(timeline, ring))
            rows.append(viewer.wanted(timeline, ring, budget.lookahead, capacity))
            viewers[id] = viewer
        }
        let depth = rows.map(\.count).max() ?? 0
        let wanted = (0..<depth).flatMap { step in rows.compactMap { step < $0.count ? $0[step] : nil } }
        return ring.plan(wanted: wanted, pinned: pinned, capacity: capacity)
    }
}

/// The limits for frames of an animation in memory: shown, decoded ahead, and being decoded.
struct AnimationBudget: Hashable, Sendable {
    /// The maximum number of frames. Default: 8. At least 2 are always allowed, the shown frame and the next.
    var maximumFrames = 8
    /// The maximum bytes of frames, except for the two that are always allowed. Default: 80 MiB, 8 frames of 1080p.
    var maximumBytes = 80 << 20
    /// The time after the shown frame for which frames are decoded ahead. Default: 1 s.
    var lookahead = Duration.seconds(1)

    /// Returns the number of frames of `bytes` each that may be in memory.
    func frames(of bytes: Int) -> Int {
        max(2, min(maximumFrames, bytes > 0 ? maximumBytes / bytes : maximumFrames))
    }
}
