/// Computes the due frame of an animation for one viewer: time in, ordinal out.
///
/// Rules:
/// - Time starts with the first shown frame and stops while the viewer is paused.
/// - A frame is due for its duration. A viewer that asks late receives the frame due at that time; the frames between
///   are skipped.
/// - A viewer that asks later than ``resyncLimit`` receives the frame after its last one instead: a view that was
///   hidden continues at the same frame. (WebKit always continues with the next frame. Chromium skips, except after
///   pauses of five minutes. Skipping a few frames keeps animations in step with time; skipping many would decode many
///   frames to show one.)
/// - If the bytes of a frame have not arrived, the previous frame stays; time continues when they arrive.
struct PlaybackSchedule: Equatable {
    /// The longest delay for which frames are skipped.
    static let resyncLimit = Duration.seconds(1)

    /// The due frame.
    private(set) var ordinal = 0
    /// The time when the due frame ends; `nil` before the start.
    private(set) var end: Duration?
    /// True if the last frame of the last play is due or was due.
    private(set) var isFinished = false
    /// True if the due frame has ended but the next one has not arrived.
    private(set) var isWaiting = false
    /// The time when the viewer was paused; `nil` if it is not paused.
    private(set) var pausedAt: Duration?

    /// - Parameter ordinal: the frame at which time starts.
    init(ordinal: Int = 0) { self.ordinal = ordinal }

    /// True if time has started.
    var isStarted: Bool { end != nil }

    /// The time when another frame is due; `nil` if that does not depend on time.
    var nextChange: Duration? { isFinished || isWaiting || pausedAt != nil ? nil : end }

    /// Starts the frame of `ordinal` now.
    mutating func start(_ ordinal: Int, at now: Duration, _ timeline: AnimationTimeline) {
        self.ordinal = ordinal
        end = now.saturatingAdd(timeline.duration(ordinal))
        isFinished = false
        isWaiting = false
        if pausedAt != nil { pausedAt = now }
    }

    /// Advances time to `now`; does nothing if that is earlier than before.
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
                end = (isLate ? now : end).saturatingAdd(timeline.duration(next))
                self.end = end
            }
        }
    }

    /// Stops time.
    mutating func pause(at now: Duration) {
        if pausedAt == nil { pausedAt = now }
    }

    /// Resumes time where it stopped.
    mutating func resume(at now: Duration) {
        guard let pausedAt else { return }
        self.pausedAt = nil
        if let end { self.end = end.saturatingAdd(max(.zero, now - pausedAt)) }
    }
}
