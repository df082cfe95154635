import FirnImage

/// The frames of an animation as far as they have come: how long each is shown, and how often all are.
///
/// Frames are counted on over all plays by *ordinals*: the frame of an ordinal is its remainder by the number of frames.
/// Invariant: while frames may still come only the first play is under way, so that ordinals and frames are the same.
struct AnimationTimeline: Equatable {
    /// How long each frame is shown that has come whole, like all before it.
    private(set) var durations: [Duration] = []
    /// Whether no more frames will come.
    private(set) var isAllKnown = false
    private(set) var repetition = RepetitionCount.once

    /// Shown for a frame whose file states no duration.
    static let defaultDuration = Duration.milliseconds(100)

    /// Nothing has come.
    init() {}

    /// These frames have come whole.
    init(durations: [Duration], isAllKnown: Bool, repetition: RepetitionCount) {
        self.durations = durations
        self.isAllKnown = isAllKnown
        self.repetition = repetition
    }

    /// What follows an ordinal.
    enum Successor: Equatable {
        case ordinal(Int)
        /// The next frame has not come.
        case waits
        /// The animation was played as often as it is to be.
        case over
    }

    /// Frames that have come whole.
    var count: Int { durations.count }

    /// The frame of an ordinal; 0 where none has come.
    func frame(_ ordinal: Int) -> Int { count > 0 ? ordinal % count : 0 }

    /// How long an ordinal's frame is shown.
    func duration(_ ordinal: Int) -> Duration {
        count > 0 ? durations[ordinal % count] : AnimationTimeline.defaultDuration
    }

    func successor(of ordinal: Int) -> Successor {
        guard ordinal + 1 >= count else { return .ordinal(ordinal + 1) }
        guard isAllKnown else { return .waits }
        // An image of one frame does not change however often it is played.
        guard count > 1 else { return .over }
        guard (ordinal + 1) % count == 0 else { return .ordinal(ordinal + 1) }
        return repetition.isOver(after: (ordinal + 1) / count) ? .over : .ordinal(ordinal + 1)
    }
}
