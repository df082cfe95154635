/// The position of one viewer in an animation: its shown, due and wanted frames.
struct ViewerState {
    var schedule = PlaybackSchedule()
    /// The time when the viewer last asked for a frame.
    var lastRequest: Duration
    /// True if no frames are decoded or kept for the viewer.
    var isSuspended = false
    /// The shown ordinal and its pixels.
    private var shown: (ordinal: Int, image: Bitmap)?
    /// True if the due frame was missing when the viewer asked.
    private var lacksFrame = true

    /// - Parameter ordinal: the first frame to show. Default: the animation's first frame.
    init(lastRequest: Duration, ordinal: Int = 0) {
        self.lastRequest = lastRequest
        schedule = PlaybackSchedule(ordinal: ordinal)
    }

    /// Starts again from the first frame; the shown image stays until that frame is ready.
    mutating func restart() {
        let wasPaused = schedule.pausedAt
        schedule = PlaybackSchedule()
        if let wasPaused { schedule.pause(at: wasPaused) }
        shown = shown.map { (-1, $0.image) }
        lacksFrame = true
    }

    /// Pauses at another frame of the same play; the shown image stays until that frame is ready.
    mutating func step(by frames: Int, at now: Duration, _ timeline: AnimationTimeline) {
        (isSuspended, lastRequest, lacksFrame) = (false, max(lastRequest, now), true)
        schedule.pause(at: now)
        let (count, frame) = (timeline.count, timeline.frame(schedule.ordinal))
        guard count > 0 else { return }
        let ordinal = schedule.ordinal - frame + ((frame + frames % count) % count + count) % count
        schedule.start(ordinal, at: now, timeline)
        shown = shown.map { (ordinal - 1, $0.image) }
    }

    /// Returns the image to show at a time.
    mutating func show(at now: Duration, _ timeline: AnimationTimeline, _ ring: FrameRing) -> Bitmap? {
        lastRequest = max(lastRequest, now)
        guard timeline.count > 0 else { return shown?.image }
        let first = timeline.frame(schedule.ordinal)
        if !schedule.isStarted, ring.images[first] != nil || ring.isHopeless(first) {
            schedule.start(schedule.ordinal, at: now, timeline)
        }
        schedule.advance(to: now, timeline)
        if let ready = newestReady(timeline, ring), let image = ring.images[timeline.frame(ready)] {
            shown = (ready, image)
        }
        if let shown, shown.ordinal >= 0, isTooLate(timeline, ring) {
            schedule.start(shown.ordinal, at: now, timeline)
        }
        lacksFrame = lacks(timeline, ring)
        return shown?.image
    }

    /// Returns whether this viewer, which lacked a frame, now has a newer frame to show. Returns true once per frame.
    mutating func noticesReady(_ timeline: AnimationTimeline, _ ring: FrameRing) -> Bool {
        guard lacksFrame else { return false }
        let isHopeless = !schedule.isStarted && ring.isHopeless(timeline.frame(schedule.ordinal))
        guard newestReady(timeline, ring) != nil || isHopeless else { return false }
        lacksFrame = false
        return true
    }

    /// Returns whether the last frame of the last play is shown, as far as it can be decoded.
    func isFinished(_ timeline: AnimationTimeline, _ ring: FrameRing) -> Bool {
        schedule.isFinished && !lacks(timeline, ring)
    }

    /// Returns the shown frame, which the ring may hold.
    func shownFrame(_ timeline: AnimationTimeline) -> Int? {
        guard let shown, shown.ordinal >= 0 else { return nil }
        return timeline.frame(shown.ordinal)
    }

    /// Returns the frames to keep: the shown frame, and the frame to show when the viewer asks next.
    func needed(_ timeline: AnimationTimeline, _ ring: FrameRing) -> [Int] {
        [shownFrame(timeline), newestReady(timeline, ring).map(timeline.frame)].compactMap { $0 }
    }

    /// Returns the frames to decode, most urgent first.
    func wanted(
        _ timeline: AnimationTimeline, _ ring: FrameRing, _ lookahead: Duration, _ most: Int
    ) -> [Int] {
        var ordinal = schedule.ordinal
        if var reached = newestReady(timeline, ring) ?? shown?.ordinal, reached >= 0 {
            // Skips frames that cannot be decoded.
            while reached < ordinal, ring.isHopeless(timeline.frame(reached + 1)) { reached += 1 }
            ordinal = min(ordinal, reached + AnimationState.maximumSkip)
        }
        var frames = [timeline.frame(ordinal)]
        guard schedule.pausedAt == nil else { return frames }
        var ahead = Duration.zero
        // The next frame is always wanted, however long the shown frame lasts.
        while frames.count < most, frames.count < 2 || ahead < lookahead,
            case .ordinal(let next) = timeline.successor(of: ordinal)
        {
            frames.append(timeline.frame(next))
            ordinal = next
            ahead += timeline.duration(next)
        }
        return frames
    }

    /// Returns the newest ordinal after the shown one that is due or was due and whose frame is ready.
    private func newestReady(_ timeline: AnimationTimeline, _ ring: FrameRing) -> Int? {
        let least = max((shown?.ordinal ?? -1) + 1, schedule.ordinal - timeline.count + 1)
        return stride(from: schedule.ordinal, through: least, by: -1).first { ring.images[timeline.frame($0)] != nil }
    }

    /// Returns whether the due frame is not shown, unless it cannot be decoded.
    func lacks(_ timeline: AnimationTimeline, _ ring: FrameRing) -> Bool {
        guard schedule.isStarted else { return true }
        return shown?.ordinal != schedule.ordinal && !ring.isHopeless(timeline.frame(schedule.ordinal))
    }

    /// Returns whether decodable frames since the shown one have been due for longer than the limit.
    private func isTooLate(_ timeline: AnimationTimeline, _ ring: FrameRing) -> Bool {
        guard let shown else { return false }
        var late = Duration.zero
        for ordinal in stride(from: shown.ordinal + 1, to: schedule.ordinal, by: 1) {
            if !ring.isHopeless(timeline.frame(ordinal)) { late += timeline.duration(ordinal) }
            if late > PlaybackSchedule.resyncLimit { return true }
        }
        return false
    }
}
