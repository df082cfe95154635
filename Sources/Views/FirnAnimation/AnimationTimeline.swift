/// The durations of the frames that have arrived, and the number of plays.
///
/// *Ordinals* number frames over all plays: the frame of an ordinal is its remainder by the number of frames.
/// Invariant: while frames may still arrive, only the first play runs, so ordinals equal frames.
struct AnimationTimeline: Equatable {
    /// The duration of each frame that has arrived completely, along with all earlier frames.
    private(set) var durations: [Duration] = []
    /// True if all frames are known.
    private(set) var isAllKnown = false
    private(set) var repetition = RepetitionCount.once

    /// The duration of a frame without a stored duration.
    static let defaultDuration = Duration.milliseconds(100)

    /// The successor of an ordinal.
    enum Successor: Equatable {
        case ordinal(Int)
        /// The next frame has not arrived.
        case waits
        /// The last play has ended.
        case over
    }

    /// The number of complete frames.
    var count: Int { durations.count }

    /// Returns the frame of an ordinal; 0 if there is none.
    func frame(_ ordinal: Int) -> Int { count > 0 ? ordinal % count : 0 }

    /// Returns the duration of an ordinal's frame.
    func duration(_ ordinal: Int) -> Duration {
        count > 0 ? durations[ordinal % count] : AnimationTimeline.defaultDuration
    }

    func successor(of ordinal: Int) -> Successor {
        guard ordinal + 1 >= count else { return .ordinal(ordinal + 1) }
        guard isAllKnown else { return .waits }
        // An image of one frame never changes.
        guard count > 1 else { return .over }
        guard (ordinal + 1) % count == 0 else { return .ordinal(ordinal + 1) }
        return repetition.isOver(after: (ordinal + 1) / count) ? .over : .ordinal(ordinal + 1)
    }
}
