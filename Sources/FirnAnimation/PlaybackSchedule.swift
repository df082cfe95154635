/// Which frame of an animation is due at which time, for one viewer: time in, ordinal out.
///
/// Rules:
/// - Time starts with the first frame that is shown, and stands while the viewer is paused.
/// - A frame is due for its duration. Whoever asks late finds the frame that is due by then; those between are skipped.
/// - Whoever asks later than ``resyncLimit`` finds the frame after the last one instead: a view that was hidden goes on
///   where it was. (WebKit always goes on with the next frame; Chromium skips, but for pauses of five minutes. Skipping
///   little keeps animations in step with time, skipping much would mean decoding much to show one frame.)
/// - A frame whose bytes have not come makes the frame before it last: time goes on with its arrival.
struct PlaybackSchedule: Equatable {
    /// The latest a viewer may be for frames to be skipped.
    static let resyncLimit = Duration.seconds(1)

    /// The frame that is due.
    private(set) var ordinal = 0
    /// When it ends; `nil` before the start.
    private(set) var end: Duration?
    /// Whether the last frame of the last play is due, or was.
    private(set) var isFinished = false
    /// Whether the due frame is over but the next has not come.
    private(set) var isWaiting = false
    /// When the viewer was paused, if it is.
    private(set) var pausedAt: Duration?

    /// Whether time runs or has run.
    var isStarted: Bool { end != nil }

    /// When another frame will be due; `nil` if that is not a matter of time.
    var nextChange: Duration? { isFinished || isWaiting || pausedAt != nil ? nil : end }

    /// Shows the frame of `ordinal` from now on.
    mutating func start(_ ordinal: Int, at now: Duration, _ timeline: AnimationTimeline) {
        self.ordinal = ordinal
        end = now + timeline.duration(ordinal)
        isFinished = false
        isWaiting = false
        if pausedAt != nil { pausedAt = now }
    }

    /// Lets time go on to `now`. An earlier time than before changes nothing.
    mutating func advance(to now: Duration, _ timeline: AnimationTimeline) {
        guard var end, pausedAt == nil, !isFinished else { return }
        let isLate = isWaiting || now - end > PlaybackSchedule.resyncLimit
        while end <= now {
            switch timeline.successor(of: ordinal) {
            case .waits:
                isWaiting = true
                return
            case .over:
                isFinished = true
                isWaiting = false
                return
            case .ordinal(let next):
                ordinal = next
                isWaiting = false
                end = (isLate ? now : end) + timeline.duration(next)
                self.end = end
            }
        }
    }

    /// Stops time.
    mutating func pause(at now: Duration) {
        if pausedAt == nil { pausedAt = now }
    }

    /// Resumes time from where it was stopped.
    mutating func resume(at now: Duration) {
        guard let pausedAt else { return }
        self.pausedAt = nil
        if let end { self.end = end + max(.zero, now - pausedAt) }
    }
}
