/// How far one picture has given way to the next.
struct CrossFade: Equatable {
    /// When it began, by the frame clock, in microseconds; `nil` before its first frame. Not when it was asked for: a clock
    /// at rest tells the time of its last frame, which may be long ago.
    private var start: Int64?
    /// How long it takes, in microseconds.
    let duration: Int64

    /// A fade that begins with the next frame.
    init(duration: Duration) {
        // More than a minute is no fade.
        self.duration = Int64(min(max(duration, .zero), .seconds(60)) / .microseconds(1))
    }

    /// A frame has begun.
    mutating func tick(at time: Int64) { if start == nil { start = time } }

    /// From 0, all of the former picture, to 1, all of the new one.
    func progress(at time: Int64) -> Double {
        guard duration > 0 else { return 1 }
        guard let start else { return 0 }
        let linear = min(1, max(0, Double(time - start) / Double(duration)))
        // Slow at both ends.
        return linear * linear * (3 - 2 * linear)
    }

    /// Whether the former picture is gone.
    func isOver(at time: Int64) -> Bool { start.map { time - $0 >= duration } ?? false }
}
