#if GTK
import FirnBinding

/// The progress of a transition from one image to the next.
struct TransitionRun: Equatable {
    /// The start by the frame clock, in microseconds; `nil` before the first frame. It is not the time of the request:
    /// an idle frame clock reports the time of its last frame, which may be long ago.
    private var start: Int64?
    /// The duration in microseconds.
    let duration: Int64
    /// The appearance at each moment.
    let transition: ImageTransition

    /// Creates a transition that begins with the next frame.
    init(_ transition: ImageTransition) {
        self.transition = transition
        // Longer durations are limited to one minute.
        duration = Int64(min(max(transition.duration, .zero), .seconds(60)) / .microseconds(1))
    }

    /// Records the time of a frame; the first one is the start.
    mutating func tick(at time: Int64) { if start == nil { start = time } }

    /// Returns the appearance of the view at a time.
    func frame(at time: Int64) -> ImageTransition.Frame { transition.frame(at: progress(at: time)) }

    /// Returns the elapsed share of the duration, from 0 to 1.
    private func progress(at time: Int64) -> Double {
        guard duration > 0 else { return 1 }
        guard let start else { return 0 }
        return min(1, max(0, Double(time - start) / Double(duration)))
    }

    /// Returns whether the transition has ended.
    func isOver(at time: Int64) -> Bool { start.map { time - $0 >= duration } ?? false }
}
#endif
