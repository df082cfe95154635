/// How far one picture has given way to the next.
struct CrossFade: Equatable {
    /// When it began, by the frame clock, in microseconds.
    let start: Int64
    /// How long it takes, in microseconds.
    let duration: Int64

    /// From 0, all of the former picture, to 1, all of the new one.
    func progress(at time: Int64) -> Double {
        guard duration > 0 else { return 1 }
        let linear = min(1, max(0, Double(time - start) / Double(duration)))
        // Slow at both ends.
        return linear * linear * (3 - 2 * linear)
    }

    /// Whether the former picture is gone.
    func isOver(at time: Int64) -> Bool { time - start >= duration }
}
