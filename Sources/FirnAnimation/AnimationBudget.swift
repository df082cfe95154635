/// The most frames of an animation in memory: shown, decoded ahead, and being decoded.
package struct AnimationBudget: Hashable, Sendable {
    /// The most frames. Default: 8. At least 2 are always allowed, the shown one and the next.
    package var maximumFrames = 8
    /// The most bytes of frames, except for the two that are always allowed. Default: 80 MiB, which is 8 frames of
    /// 1080p.
    package var maximumBytes = 80 << 20
    /// How far ahead of the shown frame others are decoded. Default: 1 s.
    package var lookahead = Duration.seconds(1)

    /// Creates the defaults.
    package init() {}

    /// Returns the number of frames of `bytes` each that may be in memory.
    func frames(of bytes: Int) -> Int {
        max(2, min(maximumFrames, bytes > 0 ? maximumBytes / bytes : maximumFrames))
    }
}
