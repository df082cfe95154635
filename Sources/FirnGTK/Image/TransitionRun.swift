#if GTK
import FirnBinding
import FirnPipeline

/// The progress of a transition from one image to the next.
struct TransitionRun: Equatable {
    /// The start by the frame clock, in microseconds; `nil` before the first frame. It is not the time of the request:
    /// an idle frame clock reports the time of its last frame, which may be long ago.
    private var start: Int64?
    /// The duration in microseconds.
    let duration: Int64
    /// The program's animation; `nil` for a fade.
    let animation: ImageTransition.Animation?

    /// Creates a transition that begins with the next frame.
    init(_ transition: ImageTransition) {
        let length: Duration
        switch transition {
        case .fadeIn(let duration): (length, animation) = (duration, nil)
        case .custom(let animation): (length, self.animation) = (animation.duration, animation)
        }
        // Longer durations are limited to one minute.
        duration = Int64(min(max(length, .zero), .seconds(60)) / .microseconds(1))
    }

    /// Records the time of a frame; the first one is the start.
    mutating func tick(at time: Int64) { if start == nil { start = time } }

    /// Returns the elapsed share of the duration, from 0 to 1.
    func progress(at time: Int64) -> Double {
        guard duration > 0 else { return 1 }
        guard let start else { return 0 }
        return min(1, max(0, Double(time - start) / Double(duration)))
    }

    /// Returns the opacity of the new image: from 0 (only the former image) to 1 (only the new one); slow at both ends.
    func fade(at time: Int64) -> Double {
        let linear = progress(at: time)
        return linear * linear * (3 - 2 * linear)
    }

    /// Whether the transition has ended.
    func isOver(at time: Int64) -> Bool { start.map { time - $0 >= duration } ?? false }
}
#endif
