import FirnImage

/// One viewer's place in an animation: what it shows, what is due for it, what it wants next.
struct ViewerState {
    var schedule = PlaybackSchedule()
    /// When it last asked.
    var lastAsked: Duration
    /// The ordinal it shows, and the pixels.
    private var shown: (ordinal: Int, image: Bitmap)?
    /// Whether what is due was not there when it asked.
    private var lacksFrame = true

    init(lastAsked: Duration) { self.lastAsked = lastAsked }

    /// Back to the first frame; what is shown stays until that one is there.
    mutating func restart() {
        let wasPaused = schedule.pausedAt
        schedule = PlaybackSchedule()
        if let wasPaused { schedule.pause(at: wasPaused) }
        shown = shown.map { (-1, $0.image) }
        lacksFrame = true
    }

    /// What is to be shown at a time.
    mutating func show(at now: Duration, _ timeline: AnimationTimeline, _ ring: FrameRing) -> Bitmap? {
        lastAsked = max(lastAsked, now)
        guard timeline.count > 0 else { return shown?.image }
        if !schedule.isStarted, ring.images[0] != nil || ring.isHopeless(0) { schedule.start(0, at: now, timeline) }
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

    /// Whether this viewer, who lacked a frame, now has a newer one to show; says so once.
    mutating func noticesReady(_ timeline: AnimationTimeline, _ ring: FrameRing) -> Bool {
        guard lacksFrame else { return false }
        guard newestReady(timeline, ring) != nil || (!schedule.isStarted && ring.isHopeless(0)) else { return false }
        lacksFrame = false
        return true
    }

    /// The frame shown, while the ring may have it.
    func shownFrame(_ timeline: AnimationTimeline) -> Int? {
        guard let shown, shown.ordinal >= 0 else { return nil }
        return timeline.frame(shown.ordinal)
    }

    /// Frames that stay: the one shown, and the one that will be as soon as the viewer asks.
    func needed(_ timeline: AnimationTimeline, _ ring: FrameRing) -> [Int] {
        [shownFrame(timeline), newestReady(timeline, ring).map(timeline.frame)].compactMap { $0 }
    }

    /// Frames to have ready, in the order of their need.
    func wanted(
        _ timeline: AnimationTimeline, _ ring: FrameRing, _ lookahead: Duration, _ most: Int
    ) -> [Int] {
        var ordinal = schedule.ordinal
        if var reached = newestReady(timeline, ring) ?? shown?.ordinal, reached >= 0 {
            // Frames that cannot be decoded are no work that was left undone.
            while reached < ordinal, ring.isHopeless(timeline.frame(reached + 1)) { reached += 1 }
            ordinal = min(ordinal, reached + AnimationState.maximumSkip)
        }
        var frames = [timeline.frame(ordinal)]
        guard schedule.pausedAt == nil else { return frames }
        var ahead = Duration.zero
        // However long a frame is shown, the next one is wanted.
        while frames.count < most, frames.count < 2 || ahead < lookahead,
            case .ordinal(let next) = timeline.successor(of: ordinal)
        {
            frames.append(timeline.frame(next))
            ordinal = next
            ahead += timeline.duration(next)
        }
        return frames
    }

    /// The last ordinal that is due or was, and whose frame is there, after the one shown.
    private func newestReady(_ timeline: AnimationTimeline, _ ring: FrameRing) -> Int? {
        let least = max((shown?.ordinal ?? -1) + 1, schedule.ordinal - timeline.count + 1)
        var ordinal = schedule.ordinal
        while ordinal >= least {
            if ring.images[timeline.frame(ordinal)] != nil { return ordinal }
            ordinal -= 1
        }
        return nil
    }

    private func lacks(_ timeline: AnimationTimeline, _ ring: FrameRing) -> Bool {
        guard schedule.isStarted else { return true }
        return shown?.ordinal != schedule.ordinal && !ring.isHopeless(timeline.frame(schedule.ordinal))
    }

    /// Whether frames that can be decoded were due, and over, for longer than the limit since the one shown.
    private func isTooLate(_ timeline: AnimationTimeline, _ ring: FrameRing) -> Bool {
        guard let shown else { return false }
        var late = Duration.zero
        var ordinal = shown.ordinal + 1
        while ordinal < schedule.ordinal {
            if !ring.isHopeless(timeline.frame(ordinal)) { late += timeline.duration(ordinal) }
            if late > PlaybackSchedule.resyncLimit { return true }
            ordinal += 1
        }
        return false
    }
}
