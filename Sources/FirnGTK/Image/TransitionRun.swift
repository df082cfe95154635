import FirnPipeline

/// How far one image has given way to the next.
struct TransitionRun: Equatable {
    /// When it began, by the frame clock, in microseconds; `nil` before its first frame. Not when it was asked for: a
    /// clock at rest tells the time of its last frame, which may be long ago.
    private var start: Int64?
    /// How long it takes, in microseconds.
    let duration: Int64
    /// The caller's animation; `nil` for a fade.
    let animation: ImageTransition.Animation?

    /// A transition that begins with the next frame.
    init(_ transition: ImageTransition) {
        let length: Duration
        switch transition {
        case .fadeIn(let duration): (length, animation) = (duration, nil)
        case .custom(let animation): (length, self.animation) = (animation.duration, animation)
        }
        // More than a minute is no transition.
        duration = Int64(min(max(length, .zero), .seconds(60)) / .microseconds(1))
    }

    /// A frame has begun.
    mutating func tick(at time: Int64) { if start == nil { start = time } }

    /// The share of its time that has passed, from 0 to 1.
    func progress(at time: Int64) -> Double {
        guard duration > 0 else { return 1 }
        guard let start else { return 0 }
        return min(1, max(0, Double(time - start) / Double(duration)))
    }

    /// From 0, all of the former image, to 1, all of the new one; slow at both ends.
    func fade(at time: Int64) -> Double {
        let linear = progress(at: time)
        return linear * linear * (3 - 2 * linear)
    }

    /// Whether the former image is gone.
    func isOver(at time: Int64) -> Bool { start.map { time - $0 >= duration } ?? false }
}
